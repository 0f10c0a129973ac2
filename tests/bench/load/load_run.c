#include "tests/bench/load/load_run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 18, PIPELINE_MAX = LOAD_PIPELINE_MAX };

struct conn {
    int fd;
    char head[LOAD_HEAD_MAX]; /* of the current answer, if it has not arrived completely */
    size_t head_bytes;
    int status; /* of the answer whose body is arriving */
    uint64_t body_left;
    uint64_t begun_ns[PIPELINE_MAX]; /* ring: requests under way, oldest first */
    uint32_t first, count;
    char unsent[LOAD_HEAD_MAX]; /* the part of a request that the socket did not accept */
    size_t unsent_bytes;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void note(struct load *load, uint64_t begun_ns, int status)
{
    const uint64_t now = now_ns();
    if (status >= 0 && status < LOAD_STATUS_COUNT)
        load->statuses[status]++;
    if (begun_ns < load->measured_ns)
        return;
    if (load->time_count == load->time_capacity) {
        load->time_capacity = load->time_capacity == 0 ? 65536 : 2 * load->time_capacity;
        load->times_us = load_grow(load->times_us, load->time_capacity * sizeof *load->times_us);
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

/* The next request, at most LOAD_HEAD_MAX bytes. */
static size_t put_request(struct load *load, char *to)
{
    const struct request *request = &load->requests[load->next_request++ % load->request_count];
    if (request->gap == NULL) {
        memcpy(to, request->bytes, request->size);
        return request->size;
    }
    return (size_t)snprintf(to, LOAD_HEAD_MAX, "%.*s%llu%s", (int)(request->gap - request->bytes), request->bytes,
                            (unsigned long long)load->next_number++, request->gap + 2);
}

/* Sends several requests in one write, as a client that pipelines does. */
static void begin(struct load *load, struct conn *conn, uint32_t count, uint64_t begun_ns)
{
    static char bytes[PIPELINE_MAX * LOAD_HEAD_MAX];
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
        break_off(load, conn); /* an idle socket accepts a few requests, unless something is wrong */
    }
}

static void fill(struct load *load, struct conn *conn)
{
    if (conn->fd >= 0 && load->rate <= 0 && conn->count == 0 && now_ns() < load->end_ns)
        begin(load, conn, load->pipeline, now_ns());
}

/* Returns how many requests are due by now, or until the end. */
static uint64_t count_due(const struct load *load)
{
    const uint64_t now = now_ns();
    const uint64_t end = now < load->end_ns ? now : load->end_ns;
    return (uint64_t)((double)(end - load->start_ns) * load->rate / 1e9);
}

/* Sends the requests that are due, to connections with room in turn. */
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
            return; /* they are sent when an answer makes room; their time counts from when they were due */
        }
        begin(load, conn, 1, load->start_ns + (uint64_t)((double)++load->due_count * 1e9 / load->rate));
    }
}

/* --- answers --- */

static void finish(struct load *load, struct conn *conn)
{
    if (conn->status < 200 || conn->count == 0) /* interim */
        return;
    note(load, conn->begun_ns[conn->first], conn->status);
    conn->first = (conn->first + 1) % PIPELINE_MAX;
    conn->count--;
}

/* Takes the head of an answer off the bytes. Returns false if it is incomplete or invalid; then nothing is left to
 * take. */
static bool take_head(struct load *load, struct conn *conn, const char **bytes, size_t *size)
{
    struct load_answer answer;
    const char *from = *bytes;
    size_t there = *size;
    const size_t before = conn->head_bytes;
    if (before > 0) {
        there = there < LOAD_HEAD_MAX - before ? there : LOAD_HEAD_MAX - before;
        memcpy(conn->head + before, *bytes, there);
        from = conn->head;
        there += before;
    }
    const int rc = load->speech->read(from, there, &answer);
    if (rc < 0 || (rc == 0 && there == LOAD_HEAD_MAX)) {
        break_off(load, conn);
        return false;
    }
    if (rc == 0) {
        if (before == 0)
            memcpy(conn->head, from, there);
        conn->head_bytes = there;
        return false;
    }
    conn->head_bytes = 0;
    conn->status = answer.status;
    conn->body_left = answer.body_bytes;
    load->body_bytes += answer.body_bytes;
    *bytes += answer.head_bytes - before;
    *size -= answer.head_bytes - before;
    return true;
}

static void take(struct load *load, struct conn *conn, const char *bytes, size_t size)
{
    while (size > 0) {
        if (conn->body_left == 0) {
            if (!take_head(load, conn, &bytes, &size))
                return;
        } else {
            const size_t part = size < conn->body_left ? size : (size_t)conn->body_left;
            conn->body_left -= part;
            bytes += part;
            size -= part;
        }
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

static void open_conn(struct load *load, struct conn *conn, const struct place *place)
{
    const int on = 1;
    conn->fd = socket(place->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (conn->fd < 0 || connect(conn->fd, &place->address.any, place->size) != 0)
        load_die("cannot connect", strerror(errno));
    if (place->address.any.sa_family == AF_INET)
        setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (load->speech->greet != NULL && !load->speech->greet(conn->fd))
        load_die("the server refuses", load->speech->name);
    fcntl(conn->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = conn};
    if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, conn->fd, &event) != 0)
        load_die("epoll", strerror(errno));
}

/* Returns the processor time of the server's main thread so far (Documentation/scheduler/sched-stats.rst), 0 without
 * --pid. */
static double server_cpu_s(const struct load *load)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", load->pid, load->pid);
    FILE *file = load->pid == 0 ? NULL : fopen(path, "re");
    if (file != NULL && fscanf(file, "%llu", &ns) != 1)
        ns = 0;
    if (file != NULL)
        fclose(file);
    return (double)ns / 1e9;
}

static double own_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* From here on processor time counts. */
static void begin_measuring(struct load *load)
{
    load->server_s = server_cpu_s(load);
    load->own_s = own_cpu_s();
    load->is_measuring = true;
}

static void end_measuring(struct load *load)
{
    load->server_s = server_cpu_s(load) - load->server_s;
    load->own_s = own_cpu_s() - load->own_s;
}

uint64_t load_count_unanswered(const struct load *load)
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

void load_run(struct load *load, const struct place *place)
{
    enum { PATIENCE_S = 30 };
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    load->conns = calloc(load->conn_count, sizeof *load->conns);
    if (load->conns == NULL)
        abort();
    for (uint32_t i = 0; i < load->conn_count; i++)
        open_conn(load, &load->conns[i], place);
    load->start_ns = now_ns();
    load->measured_ns = load->start_ns + (uint64_t)(load->warm_up_s * 1e9);
    load->end_ns = load->start_ns + (uint64_t)(load->seconds * 1e9);
    for (uint32_t i = 0; i < load->conn_count; i++)
        fill(load, &load->conns[i]);
    const uint64_t last_ns = load->end_ns + (uint64_t)PATIENCE_S * 1000000000u;
    while (now_ns() < load->end_ns || (load_count_unanswered(load) > 0 && now_ns() < last_ns)) {
        struct epoll_event events[256];
        if (load->rate > 0)
            send_due(load);
        if (!load->is_measuring && now_ns() >= load->measured_ns)
            begin_measuring(load);
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
            break;
    }
    end_measuring(load);
}
