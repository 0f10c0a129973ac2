# Prometheus from Debian with the rules of deploy/monitoring: docker build -f deploy/compose/prometheus.Dockerfile deploy
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends prometheus \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o prometheus /prometheus
COPY monitoring/prometheus.yml monitoring/alerts.yml /etc/posed/
COPY compose/targets.yml /etc/posed/targets/
USER prometheus
VOLUME /prometheus
EXPOSE 9090
ENTRYPOINT ["prometheus", "--config.file=/etc/posed/prometheus.yml", "--storage.tsdb.path=/prometheus"]
