/* load - asks an HTTP server for the same few things over many connections and says how long each answer took.
 *
 *   load [--connections N] [--pipeline N] [--rate N] [--seconds S] [--warm-up S] [--first N] [--name TEXT]
 *        ADDR:PORT TARGET...
 *
 * Without --rate each connection keeps N requests (--pipeline) under way, and an answer's time counts from when its
 * request was handed to the socket. With --rate requests are due at fixed times whether or not answers have come, and
 * an answer's time counts from when its request was due: a server that stalls is not asked less for it, and what was
 * due is sent and waited for after the end. What begins in the first --warm-up seconds is not measured. Targets take
 * turns; {} in one is a number that counts up from --first, so that no two requests are the same. Prints one line of
 * JSON; exit status 1 when a connection broke, an answer did not come or there was none. One thread on epoll. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 18, HEAD_MAX = 8192, PIPELINE_MAX = 256, STATUS_COUNT = 600 };

struct conn {
    int fd;
    char head[HEAD_MAX]; /* of the answer under way, until it is whole */
    size_t head_bytes;
    int status; /* of the answer whose body is under way */
    uint64_t body_left;
    uint64_t begun_ns[PIPELINE_MAX]; /* ring: requests under way, oldest first */
    uint32_t first, count;
    char unsent[HEAD_MAX]; /* of one request that the socket did not take whole */
    size_t unsent_bytes;
};

struct load {
    const char *name;
    uint32_t conn_count, pipeline;
    double rate, seconds, warm_up_s;
    struct conn *conns;
    char **requests; /* as sent, but for {} */
    uint32_t request_count, next_request, next_conn;
    uint64_t next_number;
    int epoll;
    uint64_t start_ns, measured_ns, end_ns;
    uint64_t due_count; /* with a rate: requests that were due and sent so far */
    uint32_t *times_us; /* of answers behind the warm-up */
    size_t time_count, time_capacity;
    uint64_t body_bytes, late_count, broken_count; /* late: due while all connections were busy */
    uint64_t statuses[STATUS_COUNT];
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *grow(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (p == NULL)
        abort();
    return p;
}

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "load: %s: %s\n", what, detail);
    exit(2);
}

static void note(struct load *load, uint64_t begun_ns, int status)
{
    const uint64_t now = now_ns();
    if (status >= 0 && status < STATUS_COUNT)
        load->statuses[status]++;
    if (begun_ns < load->measured_ns)
        return;
    if (load->time_count == load->time_capacity) {
        load->time_capacity = load->time_capacity == 0 ? 65536 : 2 * load->time_capacity;
        load->times_us = grow(load->times_us, load->time_capacity * sizeof *load->times_us);
    }
    load->times_us[load->time_count++] = (uint32_t)((now - begun_ns) / 1000u);
}

static void break_off(struct load *load, struct conn *conn)
{
    if (conn->fd < 0)
        return;
    close(conn->fd);
    conn->fd = -1;
    load->broken_count++;
}

static void watch(const struct load *load, struct conn *conn, bool is_blocked)
{
    struct epoll_event event = {.events = EPOLLIN | (is_blocked ? (uint32_t)EPOLLOUT : 0), .data.ptr = conn};
    epoll_ctl(load->epoll, EPOLL_CTL_MOD, conn->fd, &event);
}

/* --- requests --- */

static void send_rest(struct load *load, struct conn *conn)
{
    const ssize_t sent = send(conn->fd, conn->unsent, conn->unsent_bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
        break_off(load, conn);
        return;
    }
    const bool was_whole = sent == (ssize_t)conn->unsent_bytes;
    if (sent > 0) {
        conn->unsent_bytes -= (size_t)sent;
        memmove(conn->unsent, conn->unsent + sent, conn->unsent_bytes);
    }
    watch(load, conn, !was_whole);
}

/* The next request, at most HEAD_MAX bytes. */
static size_t put_request(struct load *load, char *to)
{
    const char *request = load->requests[load->next_request++ % load->request_count];
    const char *gap = strstr(request, "{}");
    if (gap == NULL) {
        const size_t length = strlen(request);
        memcpy(to, request, length);
        return length;
    }
    return (size_t)snprintf(to, HEAD_MAX, "%.*s%llu%s", (int)(gap - request), request,
                            (unsigned long long)load->next_number++, gap + 2);
}

/* Several requests leave in one write, as a client that pipelines sends them. */
static void begin(struct load *load, struct conn *conn, uint32_t count, uint64_t begun_ns)
{
    static char bytes[PIPELINE_MAX * HEAD_MAX];
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += put_request(load, bytes + size);
        conn->begun_ns[(conn->first + conn->count++) % PIPELINE_MAX] = begun_ns;
    }
    const ssize_t sent = send(conn->fd, bytes, size, MSG_NOSIGNAL);
    if (sent == (ssize_t)size)
        return;
    if (sent < 0 && errno != EAGAIN) {
        break_off(load, conn);
        return;
    }
    if (sent > 0 && count == 1) {
        conn->unsent_bytes = size - (size_t)sent;
        memcpy(conn->unsent, bytes + sent, conn->unsent_bytes);
        watch(load, conn, true);
    } else {
        break_off(load, conn); /* a socket that is idle takes a few requests, or something is wrong */
    }
}

static void fill(struct load *load, struct conn *conn)
{
    if (conn->fd >= 0 && load->rate <= 0 && conn->count == 0 && now_ns() < load->end_ns)
        begin(load, conn, load->pipeline, now_ns());
}

/* How many requests are due by now, or until the end. */
static uint64_t count_due(const struct load *load)
{
    const uint64_t now = now_ns();
    const uint64_t end = now < load->end_ns ? now : load->end_ns;
    return (uint64_t)((double)(end - load->start_ns) * load->rate / 1e9);
}

/* Sends what is due, to connections with room in turn. */
static void send_due(struct load *load)
{
    const uint64_t due = count_due(load);
    while (load->due_count < due) {
        struct conn *conn = NULL;
        for (uint32_t i = 0; i < load->conn_count && conn == NULL; i++) {
            struct conn *one = &load->conns[load->next_conn++ % load->conn_count];
            if (one->fd >= 0 && one->count < load->pipeline && one->unsent_bytes == 0)
                conn = one;
        }
        if (conn == NULL) {
            load->late_count++;
            return; /* they are sent when an answer makes room, and counted from when they were due */
        }
        begin(load, conn, 1, load->start_ns + (uint64_t)((double)++load->due_count * 1e9 / load->rate));
    }
}

/* --- answers --- */

/* The head is whole: its status, and how long the body is. */
static void read_head(struct load *load, struct conn *conn)
{
    conn->head[conn->head_bytes] = '\0';
    const char *length = strcasestr(conn->head, "\r\ncontent-length:");
    conn->body_left = length != NULL ? strtoull(length + 17, NULL, 10) : 0;
    conn->status = atoi(conn->head + 9);
    load->body_bytes += conn->body_left;
    conn->head_bytes = 0;
}

static void finish(struct load *load, struct conn *conn)
{
    if (conn->status < 200 || conn->count == 0) /* interim */
        return;
    note(load, conn->begun_ns[conn->first], conn->status);
    conn->first = (conn->first + 1) % PIPELINE_MAX;
    conn->count--;
}

static void take(struct load *load, struct conn *conn, const char *bytes, size_t size)
{
    while (size > 0) {
        if (conn->body_left > 0) {
            const size_t part = size < conn->body_left ? size : (size_t)conn->body_left;
            conn->body_left -= part;
            bytes += part;
            size -= part;
            if (conn->body_left == 0)
                finish(load, conn);
            continue;
        }
        if (conn->head_bytes == HEAD_MAX - 1) {
            break_off(load, conn);
            return;
        }
        conn->head[conn->head_bytes++] = *bytes++;
        size--;
        if (conn->head_bytes < 4 || memcmp(conn->head + conn->head_bytes - 4, "\r\n\r\n", 4) != 0)
            continue;
        read_head(load, conn);
        if (conn->body_left == 0)
            finish(load, conn);
    }
}

static void read_answers(struct load *load, struct conn *conn)
{
    static char bytes[READ_BYTES];
    const ssize_t got = recv(conn->fd, bytes, sizeof bytes, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        break_off(load, conn);
        return;
    }
    if (got > 0)
        take(load, conn, bytes, (size_t)got);
    fill(load, conn);
}

/* --- the run --- */

static void open_conn(struct load *load, struct conn *conn, const struct sockaddr_in *address)
{
    const int on = 1;
    conn->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (conn->fd < 0 || connect(conn->fd, (const struct sockaddr *)address, sizeof *address) != 0)
        die("cannot connect", strerror(errno));
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(conn->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = conn};
    if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, conn->fd, &event) != 0)
        die("epoll", strerror(errno));
}

/* Requests that have no answer yet; with a rate also those that could not be sent. */
static uint64_t count_unanswered(const struct load *load)
{
    uint64_t count = load->rate > 0 ? count_due(load) - load->due_count : 0;
    for (uint32_t i = 0; i < load->conn_count; i++)
        count += load->conns[i].count;
    return count;
}

static struct timespec time_to_next(const struct load *load)
{
    const uint64_t now = now_ns();
    uint64_t next_ns = now + 100000000u;
    if (load->rate > 0 && now < load->end_ns)
        next_ns = load->start_ns + (uint64_t)((double)(load->due_count + 1) * 1e9 / load->rate);
    const uint64_t wait_ns = next_ns > now ? next_ns - now : 0;
    return (struct timespec){.tv_sec = (time_t)(wait_ns / 1000000000u), .tv_nsec = (long)(wait_ns % 1000000000u)};
}

static void run(struct load *load, const struct sockaddr_in *address)
{
    enum { PATIENCE_S = 30 };
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    load->conns = calloc(load->conn_count, sizeof *load->conns);
    if (load->conns == NULL)
        abort();
    for (uint32_t i = 0; i < load->conn_count; i++)
        open_conn(load, &load->conns[i], address);
    load->start_ns = now_ns();
    load->measured_ns = load->start_ns + (uint64_t)(load->warm_up_s * 1e9);
    load->end_ns = load->start_ns + (uint64_t)(load->seconds * 1e9);
    for (uint32_t i = 0; i < load->conn_count; i++)
        fill(load, &load->conns[i]);
    const uint64_t last_ns = load->end_ns + (uint64_t)PATIENCE_S * 1000000000u;
    while (now_ns() < load->end_ns || (count_unanswered(load) > 0 && now_ns() < last_ns)) {
        struct epoll_event events[256];
        if (load->rate > 0)
            send_due(load);
        const struct timespec wait = time_to_next(load);
        const int count = epoll_pwait2(load->epoll, events, 256, &wait, NULL);
        for (int i = 0; i < count; i++) {
            struct conn *conn = events[i].data.ptr;
            if (conn->fd >= 0 && events[i].events & EPOLLOUT && conn->unsent_bytes > 0)
                send_rest(load, conn);
            if (conn->fd >= 0 && events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP))
                read_answers(load, conn);
        }
        if (load->broken_count == load->conn_count)
            return;
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* In milliseconds; the smallest value that `share` of all do not exceed. */
static double quantile(const struct load *load, double share)
{
    if (load->time_count == 0)
        return 0;
    const size_t at = (size_t)(share * (double)(load->time_count - 1));
    return (double)load->times_us[at] / 1e3;
}

/* Returns how many answers there were, the warm-up included. */
static uint64_t report(struct load *load)
{
    const double measured_s = load->seconds - load->warm_up_s;
    qsort(load->times_us, load->time_count, sizeof *load->times_us, compare);
    printf("{\"name\":\"%s\",\"connections\":%u,\"pipeline\":%u,\"rate\":%.0f,\"seconds\":%.2f,\"answers\":%zu,"
           "\"per_second\":%.0f,\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"body_bytes\":%llu,"
           "\"broken\":%llu,\"unanswered\":%llu,\"status\":{",
           load->name, load->conn_count, load->pipeline, load->rate, measured_s, load->time_count,
           (double)load->time_count / measured_s, quantile(load, 0.5), quantile(load, 0.9), quantile(load, 0.99),
           quantile(load, 1), (unsigned long long)load->body_bytes, (unsigned long long)load->broken_count,
           (unsigned long long)count_unanswered(load));
    const char *before = "";
    uint64_t total = 0;
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (load->statuses[status] == 0)
            continue;
        printf("%s\"%d\":%llu", before, status, (unsigned long long)load->statuses[status]);
        before = ",";
        total += load->statuses[status];
    }
    puts("}}");
    return total;
}

static struct sockaddr_in parse_address(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    char host[64];
    const char *colon = strrchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof host)
        die("not ADDR:PORT", text);
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1)
        die("not an IPv4 address", host);
    return address;
}

static void make_requests(struct load *load, char **targets, uint32_t count, const char *host)
{
    load->requests = calloc(count, sizeof *load->requests);
    if (load->requests == NULL)
        abort();
    load->request_count = count;
    for (uint32_t i = 0; i < count; i++) {
        char text[HEAD_MAX];
        const int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", targets[i], host);
        if (size < 0 || (size_t)size >= sizeof text - 32)
            die("target too long", targets[i]);
        load->requests[i] = strdup(text);
    }
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"connections", required_argument, NULL, 'c'}, {"pipeline", required_argument, NULL, 'p'},
        {"rate", required_argument, NULL, 'r'},        {"seconds", required_argument, NULL, 's'},
        {"warm-up", required_argument, NULL, 'w'},     {"name", required_argument, NULL, 'n'},
        {"first", required_argument, NULL, 'f'},       {NULL, 0, NULL, 0},
    };
    struct load load = {.name = "load", .conn_count = 50, .pipeline = 1, .seconds = 5, .warm_up_s = 0.3};
    for (int option; (option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (option) {
        case 'c':
            load.conn_count = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            load.pipeline = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'r':
            load.rate = strtod(optarg, NULL);
            break;
        case 's':
            load.seconds = strtod(optarg, NULL);
            break;
        case 'w':
            load.warm_up_s = strtod(optarg, NULL);
            break;
        case 'f':
            load.next_number = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            load.name = optarg;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind < 2 || load.conn_count == 0 || load.pipeline == 0 || load.pipeline > PIPELINE_MAX ||
        load.seconds <= load.warm_up_s)
        die("usage", "load [--connections N] [--pipeline N] [--rate N] [--seconds S] [--warm-up S] [--first N] "
                     "[--name TEXT] ADDR:PORT TARGET...");
    const struct sockaddr_in address = parse_address(argv[optind]);
    make_requests(&load, argv + optind + 1, (uint32_t)(argc - optind - 1), argv[optind]);
    run(&load, &address);
    return report(&load) == 0 || load.broken_count > 0 || count_unanswered(&load) > 0;
}
