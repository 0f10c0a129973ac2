/* health.c - a small HTTP client that asks a server whether it is healthy. */
#include "daemon/listen/health.h"

#include "daemon/config/address.h"
#include "daemon/config/unix_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { TARGET_SIZE = 512, PATIENCE_S = 3 };

struct probe {
    char host[TARGET_SIZE]; /* with the port, as in the Host header */
    char path[TARGET_SIZE];
};

/* A server that listens everywhere is asked on loopback. */
static void prefer_loopback(struct sockaddr_storage *address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    if (address->ss_family == AF_INET && v4->sin_addr.s_addr == htonl(INADDR_ANY))
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (address->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr))
        v6->sin6_addr = in6addr_loopback;
}

static int split_url(const char *url, struct probe *probe, struct err *err)
{
    static const char scheme[] = "http://";
    const char *rest = strncmp(url, scheme, sizeof scheme - 1) == 0 ? url + sizeof scheme - 1 : url;
    if (strstr(rest, "://") != NULL || strpbrk(rest, " \r\n") != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' is not an http:// address", url);
    const size_t host_bytes = strcspn(rest, "/");
    const char *colon = memrchr(rest, ':', host_bytes);
    const bool has_port = colon != NULL && memchr(colon, ']', (size_t)(rest + host_bytes - colon)) == NULL;
    if (host_bytes == 0 || strlen(rest) + sizeof "/healthz:80" > TARGET_SIZE)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' is not http://HOST:PORT/PATH", url);
    snprintf(probe->host, sizeof probe->host, "%.*s%s", (int)host_bytes, rest, has_port ? "" : ":80");
    snprintf(probe->path, sizeof probe->path, "%s", rest[host_bytes] == '\0' ? "/healthz" : rest + host_bytes);
    return 0;
}

static int exchange(int fd, const struct sockaddr_storage *address, const struct probe *probe,
                    char response[TARGET_SIZE], struct err *err)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    /* Linux takes more bytes than an address of IP has, but not of a Unix socket */
    const socklen_t size = address->ss_family == AF_UNIX ? sizeof(struct sockaddr_un) : sizeof *address;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); /* limits connect() as well */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)address, size) != 0)
        return err_set(err, ERR_UNAVAILABLE, "%s", strerror(errno));
    char request[3 * TARGET_SIZE];
    const int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                                probe->path, probe->host);
    if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length)
        return err_set(err, ERR_UNAVAILABLE, "%s", strerror(errno));
    const ssize_t got = recv(fd, response, TARGET_SIZE - 1, MSG_WAITALL); /* the server closes after its response */
    if (got <= 0)
        return err_set(err, ERR_UNAVAILABLE, "no response: %s", got == 0 ? "connection closed" : strerror(errno));
    response[got] = '\0';
    return 0;
}

/* The HTTP address of this configuration: a port or, if there is none, the Unix socket. */
static int find_address(const struct config *config, struct probe *probe, struct sockaddr_storage *address,
                        struct err *err)
{
    const char *port = strcmp(config->http, "none") != 0 ? config->http : config->tcp;
    const bool is_given = config->health_url[0] != '\0';
    if (!is_given && strcmp(port, "none") == 0) {
        snprintf(probe->host, sizeof probe->host, "localhost");
        snprintf(probe->path, sizeof probe->path, "/healthz");
        return unix_socket_address(config->unix_path == NULL ? "" : config->unix_path, (struct sockaddr_un *)address,
                                   err);
    }
    if (split_url(is_given ? config->health_url : port, probe, err) < 0 || address_parse(probe->host, address, err) < 0)
        return err->code;
    prefer_loopback(address);
    return 0;
}

static int probe_status(const struct config *config, struct probe *probe, struct err *err)
{
    struct sockaddr_storage address;
    char response[TARGET_SIZE];
    if (find_address(config, probe, &address, err) < 0)
        return err->code;
    const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(err, ERR_UNAVAILABLE, "no socket: %s", strerror(errno));
    const int rc = exchange(fd, &address, probe, response, err);
    close(fd);
    if (rc == 0 && (strncmp(response, "HTTP/1.", 7) != 0 || strlen(response) < 12))
        return err_set(err, ERR_UNAVAILABLE, "what answers there is not an HTTP server");
    return rc < 0 ? rc : atoi(response + 9);
}

int health_probe(const struct config *config)
{
    struct probe probe = {0};
    struct err err;
    const int status = probe_status(config, &probe, &err);
    if (status == 200)
        printf("healthy: http://%s%s answers 200\n", probe.host, probe.path);
    else if (status < 0)
        fprintf(stderr, "posed: unhealthy: http://%s%s: %s\n", probe.host, probe.path, err.message);
    else
        fprintf(stderr, "posed: unhealthy: http://%s%s answers %d\n", probe.host, probe.path, status);
    return status != 200;
}
