# docker run -p 7878:7878 -p 7879:7879 -v "$PWD:/models:ro" posed
# Of a repository: docker build --build-arg VERSION=$(deploy/version.sh) . says which commit it is; otherwise it is the release number.
# For another processor, by a cross compiler and without emulation: docker build --platform linux/arm64 .
ARG BASE=debian:bookworm-slim
# A builder that does not say where it runs is on an amd64 machine.
ARG BUILD_ON=${BUILDPLATFORM:-linux/amd64}
# The release number is that of server/base/version.h; a test compares them.
ARG VERSION=0.2.0

FROM --platform=${BUILD_ON} ${BASE} AS build
WORKDIR /src
ARG TARGETARCH
# CROSS: the processor that is compiled for, where it is another than this machine's; deps.sh and make know the word.
RUN case "${TARGETARCH:-$(dpkg --print-architecture)}" in "$(dpkg --print-architecture)") ;; \
      arm64) echo aarch64-linux-gnu ;; amd64) echo x86_64-linux-gnu ;; *) echo "no image for $TARGETARCH" >&2; exit 1 ;; esac > /cross \
 && if [ -s /cross ]; then dpkg --add-architecture "$TARGETARCH"; fi
COPY deploy/deps.sh deploy/
RUN CROSS=$(cat /cross) deploy/deps.sh build
COPY . .
ARG VERSION
RUN cross=$(cat /cross) && make -j"$(nproc)" NODEPS=1 CROSS="$cross" version="$VERSION" programs samples \
 && deploy/image/root.sh "build${cross:+/$cross}" /image "${cross:-$(gcc -dumpmachine)}" "$VERSION" \
 && install -d -m 755 /owned/models/uploads && install -d -m 700 /owned/cache/posed

FROM scratch
ARG VERSION
# https://specs.opencontainers.org/image-spec/annotations/
LABEL org.opencontainers.image.title="posed" \
      org.opencontainers.image.description="headless animation server: poses and pictures of 3D models over HTTP and TCP" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.documentation="/usr/share/doc/posed"
COPY --from=build /image /
# The folders that its user writes.
COPY --from=build --chown=10001:10001 /owned/models /models
COPY --from=build --chown=10001:10001 /owned/cache /var/cache
USER 10001
# Another port or address: -e POSED_HTTP=0.0.0.0:80; the health check follows it.
ENV PATH=/usr/bin POSED_HTTP=0.0.0.0:7878 POSED_TCP=0.0.0.0:7879
# Imported models: with a named volume here a new container needs no import.
ENV POSED_CACHE_DIR=/var/cache/posed
VOLUME /var/cache/posed
# Uploads: -v posed-uploads:/models/uploads -e POSED_UPLOADS=/models/uploads, and a token: -e POSED_TOKEN_FILE=/run/secrets/posed
EXPOSE 7878 7879
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["posed", "--health"]
ENTRYPOINT ["posed-entrypoint"]
