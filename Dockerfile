# docker run -p 7878:7878 -p 7879:7879 -v "$PWD:/models:ro" posed
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY deploy/deps.sh deploy/
RUN deploy/deps.sh build
COPY . .
RUN make -j"$(nproc)" NODEPS=1 all samples && make NODEPS=1 install PREFIX=/usr DESTDIR=/stage \
 && install -d /stage/usr/share/posed/samples && install -m 644 build/samples/*.glb /stage/usr/share/posed/samples/ \
 && install -m 755 deploy/entrypoint.sh /stage/usr/bin/posed-entrypoint

FROM ${BASE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends libuv1 libcjson1 libassimp5 libexpat1 libmeshoptimizer2d libdraco7 zlib1g libpng16-16 \
    libturbojpeg0 libwebp7 libzip4 libnettle8 libxxhash0 libisal2 libzstd1 libdeflate0 libosmesa6 libseccomp2 libwslay1 \
    libwebpmux3 libgif7 libfreetype6 fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin posed \
 && install -d -o posed -g posed -m 755 /models/uploads \
 && install -d -o posed -g posed -m 700 /var/cache/posed
COPY --from=build /stage/usr /usr
USER 10001
# Another port or address: -e POSED_HTTP=0.0.0.0:80; the health check follows it.
ENV POSED_HTTP=0.0.0.0:7878 POSED_TCP=0.0.0.0:7879
# Imported models: with a named volume here a new container needs no import.
ENV POSED_CACHE_DIR=/var/cache/posed
VOLUME /var/cache/posed
# Uploads: -v posed-uploads:/models/uploads -e POSED_UPLOADS=/models/uploads, and a token: -e POSED_TOKEN_FILE=/run/secrets/posed
EXPOSE 7878 7879
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["posed", "--health"]
ENTRYPOINT ["posed-entrypoint"]
