/* address.c - parses and formats ADDR:PORT, for IPv4, IPv6 and host names. */
#include "daemon/config/address.h"

#include <netdb.h>
#include <stdbool.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_SIZE = 256, PORT_MAX = 65535 };

static int split(const char *text, char host[HOST_SIZE], const char **port, struct err *err)
{
    const char *colon = strrchr(text, ':');
    const bool is_bracketed = text[0] == '[' && colon != NULL && colon > text && colon[-1] == ']';
    const char *start = is_bracketed ? text + 1 : text;
    const size_t length = colon == NULL ? 0 : (size_t)(colon - start) - (is_bracketed ? 1 : 0);
    if (length == 0 || length >= HOST_SIZE)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' is neither ADDR:PORT, such as 127.0.0.1:7878, nor a port", text);
    memcpy(host, start, length);
    host[length] = '\0';
    if (!is_bracketed && strchr(host, ':') != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' needs brackets around its IPv6 address: [ADDR]:PORT", text);
    *port = colon + 1;
    char *end = NULL;
    const unsigned long number = strtoul(*port, &end, 10);
    if (**port < '0' || **port > '9' || *end != '\0' || number > PORT_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' does not end in a port from 0 to 65535", text);
    return 0;
}

int address_check(const char *text, struct err *err)
{
    char host[HOST_SIZE];
    const char *port = NULL;
    return split(text, host, &port, err);
}

int address_parse(const char *text, struct sockaddr_storage *out, struct err *err)
{
    char host[HOST_SIZE];
    const char *port = NULL;
    const int rc = split(text, host, &port, err);
    if (rc < 0)
        return rc;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    const int failure = getaddrinfo(host, port, &hints, &found);
    if (failure != 0)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' is no address of this machine's network: %s", host,
                       gai_strerror(failure));
    memset(out, 0, sizeof *out);
    memcpy(out, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

void address_format(const struct sockaddr *address, char out[ADDRESS_SIZE])
{
    char host[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        snprintf(out, ADDRESS_SIZE, "%s:%u", host, ntohs(v4->sin_port));
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        snprintf(out, ADDRESS_SIZE, "[%s]:%u", host, ntohs(v6->sin6_port));
    } else {
        snprintf(out, ADDRESS_SIZE, "-");
    }
}

struct peer_address address_peer(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return peer_address_ip(true, &v4->sin_addr, ntohs(v4->sin_port));
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        return peer_address_ip(false, &v6->sin6_addr, ntohs(v6->sin6_port));
    }
    return (struct peer_address){0};
}
