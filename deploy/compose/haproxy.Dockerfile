# HAProxy from Debian, as posed's image is made: docker build -f deploy/compose/haproxy.Dockerfile deploy
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends haproxy \
 && rm -rf /var/lib/apt/lists/*
COPY proxies/haproxy.cfg /etc/haproxy/haproxy.cfg
USER haproxy
ENV POSED_FRONT_USER=none
# A soft stop: connections under way end.
STOPSIGNAL SIGUSR1
EXPOSE 8080 8079 8404
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/etc/haproxy/haproxy.cfg"]
