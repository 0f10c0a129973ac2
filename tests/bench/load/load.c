/* load - asks a server for the same few things over many connections and says how long each answer took.
 *
 *   load [--speak http|resp|packets] [--connections N] [--pipeline N] [--rate N] [--seconds S] [--warm-up S]
 *        [--first N] [--times S] [--pid PID] [--name TEXT] ADDR:PORT|unix:PATH TARGET...
 *
 * Without --rate each connection keeps N requests (--pipeline) under way, and an answer's time counts from when its
 * request was handed to the socket. With --rate requests are due at fixed times whether or not answers have come, and
 * an answer's time counts from when its request was due: a server that stalls is not asked less for it, and what was
 * due is sent and waited for after the end. What begins in the first --warm-up seconds is not measured. Targets take
 * turns; {} in one is a number that counts up from --first, so that no two requests are the same; {t} is a time below
 * --times seconds (1), another each time. What targets mean in which language: load_speech.h. --pid: of the server's
 * thread that answers, for cpu_us, its processor time per answer. own_cpu_us: that of this program; where it is as much
 * as the time from answer to answer, it and not the server was the limit. Prints one line of JSON; exit status 1 when a
 * connection broke, an answer did not come or there was none. One thread on epoll. */
#include "tests/bench/load/load_run.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 4096 }; /* of a request with {t} */

void *load_grow(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (p == NULL)
        abort();
    return p;
}

void load_die(const char *what, const char *detail)
{
    fprintf(stderr, "load: %s: %s\n", what, detail);
    exit(2);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Returns the time in milliseconds that a share of all does not exceed. */
static double quantile(const struct load *load, double share)
{
    if (load->time_count == 0)
        return 0;
    const size_t at = (size_t)(share * (double)(load->time_count - 1));
    return (double)load->times_us[at] / 1e3;
}

/* Returns the number of answers, including the warm-up. */
static uint64_t report(struct load *load)
{
    const double measured_s = load->seconds - load->warm_up_s;
    const double count = load->time_count > 0 ? (double)load->time_count : 1;
    qsort(load->times_us, load->time_count, sizeof *load->times_us, compare);
    printf("{\"name\":\"%s\",\"connections\":%u,\"pipeline\":%u,\"rate\":%.0f,\"seconds\":%.2f,\"answers\":%zu,"
           "\"per_second\":%.0f,\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"body_bytes\":%llu,"
           "\"broken\":%llu,\"unanswered\":%llu,\"cpu_us\":%.3f,\"own_cpu_us\":%.3f,\"status\":{",
           load->name, load->conn_count, load->pipeline, load->rate, measured_s, load->time_count,
           (double)load->time_count / measured_s, quantile(load, 0.5), quantile(load, 0.9), quantile(load, 0.99),
           quantile(load, 1), (unsigned long long)load->body_bytes, (unsigned long long)load->broken_count,
           (unsigned long long)load_count_unanswered(load), load->server_s * 1e6 / count, load->own_s * 1e6 / count);
    const char *before = "";
    uint64_t total = 0;
    for (int status = 0; status < LOAD_STATUS_COUNT; status++) {
        if (load->statuses[status] == 0)
            continue;
        printf("%s\"%d\":%llu", before, status, (unsigned long long)load->statuses[status]);
        before = ",";
        total += load->statuses[status];
    }
    puts("}}");
    return total;
}

static struct place parse_place(const char *text)
{
    struct place place = {.address.ip.sin_family = AF_INET, .size = sizeof place.address.ip};
    char host[64];
    if (strncmp(text, "unix:", 5) == 0) {
        if (strlen(text + 5) >= sizeof place.address.unix_socket.sun_path)
            load_die("too long for a socket", text);
        place.address.unix_socket.sun_family = AF_UNIX;
        strcpy(place.address.unix_socket.sun_path, text + 5);
        place.size = sizeof place.address.unix_socket;
        return place;
    }
    const char *colon = strrchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof host)
        load_die("not ADDR:PORT or unix:PATH", text);
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    place.address.ip.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (inet_pton(AF_INET, host, &place.address.ip.sin_addr) != 1)
        load_die("not an IPv4 address", host);
    return place;
}

static void add_request(struct load *load, const char *target, const char *host)
{
    char bytes[LOAD_HEAD_MAX + 1];
    struct request *request = &load->requests[load->request_count++];
    request->size = load->speech->put(target, host, bytes);
    if (request->size == 0 || request->size > LOAD_HEAD_MAX - 32)
        load_die("cannot be asked for", target);
    bytes[request->size] = '\0';
    request->bytes = load_grow(NULL, request->size + 1);
    memcpy(request->bytes, bytes, request->size + 1);
    request->gap = strstr(target, "{}") == NULL ? NULL : strstr(request->bytes, "{}");
}

/* Makes many variants of requests with a time, in turn with the others. */
static void make_requests(struct load *load, char **targets, uint32_t count, const char *host)
{
    bool has_time = false;
    for (uint32_t i = 0; i < count; i++)
        has_time = has_time || strstr(targets[i], "{t}") != NULL;
    const uint32_t rounds = has_time ? VARIANTS : 1;
    const char *shown = strncmp(host, "unix:", 5) == 0 ? "localhost" : host;
    load->requests = load_grow(NULL, (size_t)rounds * count * sizeof *load->requests);
    srand48(1);
    for (uint32_t i = 0; i < rounds * count; i++) {
        const char *target = targets[i % count], *gap = strstr(target, "{t}");
        char with_time[LOAD_HEAD_MAX];
        if (gap != NULL)
            snprintf(with_time, sizeof with_time, "%.*s%.6f%s", (int)(gap - target), target, drand48() * load->times_s,
                     gap + 3);
        add_request(load, gap != NULL ? with_time : target, shown);
    }
}

/* Returns false if the option does not exist. */
static bool take_option(struct load *load, int option, const char *value)
{
    switch (option) {
    case 'c':
        load->conn_count = (uint32_t)strtoul(value, NULL, 10);
        return true;
    case 'p':
        load->pipeline = (uint32_t)strtoul(value, NULL, 10);
        return true;
    case 'r':
        load->rate = strtod(value, NULL);
        return true;
    case 's':
        load->seconds = strtod(value, NULL);
        return true;
    case 'w':
        load->warm_up_s = strtod(value, NULL);
        return true;
    case 'f':
        load->next_number = strtoull(value, NULL, 10);
        return true;
    case 't':
        load->times_s = strtod(value, NULL);
        return true;
    case 'i':
        load->pid = atoi(value);
        return true;
    case 'l':
        load->speech = load_speech_find(value);
        return true;
    case 'n':
        load->name = value;
        return true;
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"connections", required_argument, NULL, 'c'},
        {"pipeline", required_argument, NULL, 'p'},
        {"rate", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'},
        {"warm-up", required_argument, NULL, 'w'},
        {"name", required_argument, NULL, 'n'},
        {"first", required_argument, NULL, 'f'},
        {"times", required_argument, NULL, 't'},
        {"pid", required_argument, NULL, 'i'},
        {"speak", required_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    struct load load = {.name = "load", .conn_count = 50, .pipeline = 1, .seconds = 5, .warm_up_s = 0.3, .times_s = 1};
    load.speech = load_speech_find("http");
    for (int option; (option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;)
        if (!take_option(&load, option, optarg))
            return 2;
    if (load.speech == NULL || argc - optind < 2 || load.conn_count == 0 || load.pipeline == 0 ||
        load.pipeline > LOAD_PIPELINE_MAX || load.seconds <= load.warm_up_s)
        load_die("usage",
                 "load [--speak http|resp|packets] [--connections N] [--pipeline N] [--rate N] [--seconds S] "
                 "[--warm-up S] [--first N] [--times S] [--pid PID] [--name TEXT] ADDR:PORT|unix:PATH TARGET...");
    const struct place place = parse_place(argv[optind]);
    make_requests(&load, argv + optind + 1, (uint32_t)(argc - optind - 1), argv[optind]);
    load_run(&load, &place);
    return report(&load) == 0 || load.broken_count > 0 || load_count_unanswered(&load) > 0;
}
