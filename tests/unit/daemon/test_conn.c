/* Connections, compiled as in the server, over one end of a socket pair and a loop of their own. A fake dispatcher
 * keeps each call until the test answers it; the Makefile wraps the functions. The test holds the other end of the
 * pair, and sets the clock. */
#include "tests/unit/support/check.h"

#include "base/container_of.h"
#include "daemon/threads/work.h"
#include "daemon/conn/conn.h"
#include "daemon/packets/packets.h"
#include "daemon/support/log.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLS_MAX = 128, BIG_BYTES = 400000, TURN_BYTES = 524288, SOON_MS = 5000 };

static struct fake {
    struct call *calls[CALLS_MAX]; /* as they came; NULL: answered */
    uint32_t count, cancelled;
    size_t body_bytes;  /* above 0: calls are answered at once, with so much */
    bool cancels_later; /* a cancelled call is done when the test says so */
    bool ends_oldest;   /* the first call ends the connection that has been idle longest */
    uint32_t reads;     /* read events */
    int fast_fd;        /* above 0: the end of a client that sends whenever the server has read */
    uint32_t reads_before_call;
    enum conn_input input_at_call; /* of the connection of the first call */
} fake;
static char not_a_dispatcher[1];

static bool is_fake(const struct dispatcher *dispatcher) { return (const void *)dispatcher == not_a_dispatcher; }

/* Answers the call with a body of 'x'. */
static void answer(uint32_t index, size_t body_bytes)
{
    struct call *call = fake.calls[index];
    struct reply reply;
    assert_non_null(call);
    fake.calls[index] = NULL;
    reply_init(&reply);
    reply.content_type = "text/plain";
    for (size_t i = 0; i < body_bytes; i++)
        buf_put_char(&reply.body, 'x');
    call->done(call, &reply);
}

static bool end_oldest(void);

void __real_dispatcher_handle(struct dispatcher *dispatcher, struct call *call);
void __wrap_dispatcher_handle(struct dispatcher *dispatcher, struct call *call);
void __wrap_dispatcher_handle(struct dispatcher *dispatcher, struct call *call)
{
    if (!is_fake(dispatcher)) {
        __real_dispatcher_handle(dispatcher, call);
        return;
    }
    assert_true(fake.count < CALLS_MAX);
    if (fake.count == 0) {
        fake.reads_before_call = fake.reads;
        fake.input_at_call = container_of(call, struct conn, call)->input;
        if (fake.ends_oldest)
            assert_true(end_oldest());
    }
    fake.calls[fake.count++] = call;
    if (fake.body_bytes > 0)
        answer(fake.count - 1, fake.body_bytes);
}

void __real_dispatcher_cancel(struct dispatcher *dispatcher, struct call *call);
void __wrap_dispatcher_cancel(struct dispatcher *dispatcher, struct call *call);
void __wrap_dispatcher_cancel(struct dispatcher *dispatcher, struct call *call)
{
    if (!is_fake(dispatcher)) {
        __real_dispatcher_cancel(dispatcher, call);
        return;
    }
    fake.cancelled++;
    call->is_abandoned = true;
    for (uint32_t i = 0; i < fake.count && !fake.cancels_later; i++)
        if (fake.calls[i] == call)
            answer(i, 0);
}

bool __real_dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query,
                                    const struct query_key *key, struct reply *reply);
bool __wrap_dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query,
                                    const struct query_key *key, struct reply *reply);
bool __wrap_dispatcher_answer_query(struct dispatcher *dispatcher, struct prepared_query *query,
                                    const struct query_key *key, struct reply *reply)
{
    return !is_fake(dispatcher) && __real_dispatcher_answer_query(dispatcher, query, key, reply);
}

void __real_dispatcher_begin_read(struct dispatcher *dispatcher);
void __wrap_dispatcher_begin_read(struct dispatcher *dispatcher);
void __wrap_dispatcher_begin_read(struct dispatcher *dispatcher)
{
    static char bytes[65536];
    if (!is_fake(dispatcher)) {
        __real_dispatcher_begin_read(dispatcher);
        return;
    }
    fake.reads++;
    while (fake.fast_fd > 0 && send(fake.fast_fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0)
        continue;
}

void __real_dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener);
void __wrap_dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener);
void __wrap_dispatcher_listen(struct dispatcher *dispatcher, struct change_listener *listener)
{
    if (!is_fake(dispatcher))
        __real_dispatcher_listen(dispatcher, listener);
}

/* --- the server's end, and the client's --- */

static struct server {
    uv_loop_t loop;
    struct config config;
    struct budget budget;
    struct access access;
    struct proxy_policy proxies;
    struct conn_group *group;
    atomic_uint_fast32_t open_count;
    uint64_t passed_ms; /* how far its clock is ahead of the real one */
    struct buf got;     /* what the client has read, with a NUL behind it */
    bool is_eof;        /* and that was all */
    int fast_fd;        /* above 0: the end of a client that reads whenever a write ends */
    pthread_t thread;   /* of its loop */
    size_t freed_bytes; /* the most that this thread has freed of one client's unread replies */
} server;

uint64_t __real_uv_now(const uv_loop_t *loop);
uint64_t __wrap_uv_now(const uv_loop_t *loop);
uint64_t __wrap_uv_now(const uv_loop_t *loop)
{
    return __real_uv_now(loop) + (loop == &server.loop ? server.passed_ms : 0);
}

void __real_send_queue_written(struct send_queue *out);
void __wrap_send_queue_written(struct send_queue *out);
void __wrap_send_queue_written(struct send_queue *out)
{
    static char bytes[65536];
    while (server.fast_fd > 0 && recv(server.fast_fd, bytes, sizeof bytes, 0) > 0)
        continue;
    __real_send_queue_written(out);
}

void __real_send_queue_fini(struct send_queue *out);
void __wrap_send_queue_fini(struct send_queue *out);
void __wrap_send_queue_fini(struct send_queue *out)
{
    const bool is_of_loop = pthread_equal(pthread_self(), server.thread);
    if (is_of_loop && out->unsent_bytes > server.freed_bytes)
        server.freed_bytes = out->unsent_bytes;
    __real_send_queue_fini(out);
}

static bool end_oldest(void) { return conn_group_end_oldest(server.group); }

static void on_conn_closed(struct conn_group *group) { (void)group; }

static void start(void)
{
    server = (struct server){.group = calloc(1, sizeof *server.group), .thread = pthread_self()};
    fake = (struct fake){0};
    log_open(LOG_OFF);
    signal(SIGPIPE, SIG_IGN); /* as the daemon does */
    uv_loop_init(&server.loop);
    limits_default(&server.config.limits);
    server.budget.max_bytes = UINT64_C(1) << 40;
    access_init(&server.access);
    buf_init(&server.got, 0);
    *server.group = (struct conn_group){.loop = &server.loop,
                                        .config = &server.config,
                                        .dispatcher = (struct dispatcher *)(void *)not_a_dispatcher,
                                        .all_open_count = &server.open_count,
                                        .budget = &server.budget,
                                        .access = &server.access,
                                        .proxies = &server.proxies,
                                        .closed = on_conn_closed,
                                        .http = &PROTOCOL_HTTP};
    conn_group_start(server.group);
    packets_attach(server.group);
}

/* Nothing remains: no handle keeps the loop from closing, and the sanitizer finds no connection. */
static void end(void)
{
    conn_group_close_all(server.group);
    conn_group_stop(server.group);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    assert_int_equal(server.group->open_count, 0);
    assert_int_equal(server.open_count, 0);
    assert_int_equal(server.budget.used_bytes, 0);
    packets_detach(server.group);
    conn_group_fini(server.group);
    work_loop_close(&server.loop);
    assert_int_equal(uv_loop_close(&server.loop), 0);
    free(server.group);
    buf_fini(&server.got);
    log_open(LOG_TEXT);
    signal(SIGPIPE, SIG_DFL);
}

static int connect_as(bool has_packets, bool is_refused)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    server.open_count++;
    conn_group_accept(
        server.group,
        &(struct conn_arrival){.fd = fds[0], .is_unix = true, .has_packets = has_packets, .is_refused = is_refused});
    return fds[1];
}

static int client(void) { return connect_as(false, false); }

static void turn(void)
{
    for (int i = 0; i < 8; i++)
        uv_run(&server.loop, UV_RUN_NOWAIT);
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
    turn();
}

/* Returns what has arrived since, after a few turns of the loop. */
static const char *hear(int fd)
{
    buf_clear(&server.got);
    for (int quiet = 0; quiet < 2; quiet++) {
        char bytes[65536];
        ssize_t size;
        turn();
        while ((size = recv(fd, bytes, sizeof bytes, 0)) > 0) {
            buf_put(&server.got, bytes, (size_t)size);
            quiet = 0;
            turn();
        }
        server.is_eof = size == 0;
    }
    buf_put_char(&server.got, '\0');
    return server.got.data;
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

static void pass(uint64_t ms)
{
    server.passed_ms += ms;
    conn_group_expire(server.group);
    turn();
}

static const struct conn *only_conn(void)
{
    assert_int_equal(server.group->open_count, 1);
    return server.group->first;
}

#define GET(name) "GET /v1/model?model=a HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: " name "\r\n\r\n"

/* --- requests and replies --- */

TEST(conn_answers_pipelined_requests_one_by_one_and_in_order)
{
    start();
    const int fd = client();
    say(fd, GET("one") GET("two") GET("three"));
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const IDS[] = {"id: one\r\n", "id: two\r\n", "id: three\r\n"};
        assert_int_equal(fake.count, i + 1);
        assert_int_equal(only_conn()->state, CONN_CALLING);
        assert_string_equal(fake.calls[i]->request.model, "a");
        answer(i, 5);
        const char *got = hear(fd);
        assert_int_equal(count_of(got, "HTTP/1.1 200 "), 1);
        assert_non_null(strcasestr(got, IDS[i]));
        assert_non_null(strstr(got, "\r\n\r\nxxxxx"));
    }
    assert_int_equal(only_conn()->state, CONN_READING);
    close(fd);
    end();
}

TEST(conn_answers_many_requests_of_one_read)
{
    enum { COUNT = 100 };
    struct buf requests;
    start();
    const int fd = client();
    fake.body_bytes = 1;
    buf_init(&requests, 0);
    for (int i = 0; i < COUNT; i++)
        buf_put_text(&requests, GET("x"));
    buf_put_char(&requests, '\0');
    say(fd, requests.data);
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 200 "), COUNT);
    buf_fini(&requests);
    close(fd);
    end();
}

/* --- several connections that receive bytes in one tick --- */

enum { CLIENTS = 20 };

/* Sends the text from each of new clients in one tick of the loop. */
static void say_together(int fds[CLIENTS], const char *text)
{
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = client();
    turn();
    fake.reads = 0;
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(send(fds[i], text, strlen(text), MSG_NOSIGNAL), strlen(text));
    uv_run(&server.loop, UV_RUN_NOWAIT);
}

TEST(conn_group_reads_all_connections_before_it_answers_the_first)
{
    int fds[CLIENTS];
    start();
    fake.body_bytes = 1;
    say_together(fds, GET("x"));
    assert_int_equal(fake.reads_before_call, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(count_of(hear(fds[i]), "HTTP/1.1 200 "), 1);
        close(fds[i]);
    }
    end();
}

TEST(conn_group_answers_at_once_what_fills_the_read_buffer)
{
    enum { PADDING_BYTES = 7000 };
    int fds[CLIENTS];
    struct buf request;
    start();
    fake.body_bytes = 1;
    buf_init(&request, 0);
    buf_put_text(&request, "GET /v1/model?model=a HTTP/1.1\r\nHost: localhost\r\nX-Padding: ");
    for (int i = 0; i < PADDING_BYTES; i++)
        buf_put_char(&request, 'p');
    buf_put_text(&request, "\r\n\r\n");
    buf_put_char(&request, '\0');
    say_together(fds, request.data);
    assert_in_range(fake.reads_before_call, CONN_RECEIVED_BYTES / request.size_bytes, CLIENTS - 1);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(count_of(hear(fds[i]), "HTTP/1.1 200 "), 1);
        close(fds[i]);
    }
    buf_fini(&request);
    end();
}

TEST(conn_that_another_ends_in_the_tick_of_its_bytes_is_closed)
{
    int fds[CLIENTS], ended = 0;
    start();
    fake.body_bytes = 1;
    fake.ends_oldest = true;
    say_together(fds, GET("x"));
    for (int i = 0; i < CLIENTS; i++) {
        ended += count_of(hear(fds[i]), "HTTP/1.1 200 ") == 0;
        close(fds[i]);
    }
    assert_int_equal(ended, 1);
    assert_int_equal(fake.count, CLIENTS - 1);
    end();
}

TEST(conn_answers_what_came_before_it_notices_the_end_in_the_same_tick)
{
    start();
    const int fd = client();
    assert_int_equal(send(fd, GET("x"), strlen(GET("x")), MSG_NOSIGNAL), strlen(GET("x")));
    close(fd);
    turn();
    assert_int_equal(fake.count, 1);
    assert_int_equal(fake.input_at_call, INPUT_OPEN);
    end();
}

/* --- flow control --- */

TEST(conn_leaves_the_bytes_of_a_client_that_asks_too_much_in_its_socket)
{
    static char junk[1 << 20];
    start();
    const int fd = client();
    say(fd, GET("x"));
    memset(junk, 'j', sizeof junk);
    while (send(fd, junk, sizeof junk, MSG_NOSIGNAL) > 0)
        turn();
    assert_true(only_conn()->in_bytes < (1 << 17));
    assert_false(only_conn()->is_reading);
    answer(0, 1);
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 "), 2); /* of which the second says that junk is no request */
    close(fd);
    end();
}

TEST(conn_of_a_client_that_sends_much_reads_a_part_of_it_in_each_turn)
{
    enum { BODY_BYTES = 1 << 20, READS_MAX = 9, TURNS_MIN = 2 };
    static const char HEAD[] = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               "Content-Length: 1048576\r\n\r\n";
    uint32_t turns = 0;
    start();
    const int fd = client();
    assert_int_equal(send(fd, HEAD, sizeof HEAD - 1, MSG_NOSIGNAL), sizeof HEAD - 1);
    fake.fast_fd = fd;
    for (uint32_t reads = 0; (uint64_t)reads * CONN_READ_BYTES < BODY_BYTES; turns++) {
        uv_run(&server.loop, UV_RUN_NOWAIT);
        assert_true(fake.reads - reads <= READS_MAX);
        reads = fake.reads;
    }
    assert_true(turns >= TURNS_MIN);
    fake.fast_fd = 0;
    close(fd);
    end();
}

TEST(conn_that_cannot_parse_answers_and_ends)
{
    start();
    const int fd = client();
    say(fd, "GARBAGE\r\n\r\n" GET("x"));
    const char *got = hear(fd);
    assert_int_equal(count_of(got, "HTTP/1.1 400 "), 1);
    assert_int_equal(count_of(got, "HTTP/1.1 "), 1);
    assert_true(server.is_eof);
    assert_int_equal(fake.count, 0);
    assert_int_equal(only_conn()->state, CONN_LINGERING);
    say(fd, "more"); /* is read and dropped */
    assert_int_equal(only_conn()->state, CONN_LINGERING);
    close(fd);
    turn();
    assert_int_equal(server.group->open_count, 0);
    end();
}

/* --- clients that leave --- */

TEST(conn_of_a_client_that_only_shut_down_its_sending_side_gets_its_reply)
{
    start();
    const int fd = client();
    say(fd, GET("x"));
    shutdown(fd, SHUT_WR);
    assert_string_equal(hear(fd), "HTTP/1.1 "); /* a client that had left would have reset it */
    assert_int_equal(only_conn()->state, CONN_CALLING);
    assert_int_equal(server.group->probed_count, 1);
    answer(0, 5);
    const char *rest = hear(fd); /* of the reply that has begun */
    assert_int_equal(strncmp(rest, "200 OK\r\n", 8), 0);
    assert_int_equal(count_of(rest, "HTTP/1."), 0);
    assert_non_null(strstr(rest, "\r\n\r\nxxxxx"));
    assert_true(server.is_eof);
    assert_int_equal(server.group->open_count, 0);
    assert_int_equal(server.group->probed_count, 0);
    assert_int_equal(fake.cancelled, 0);
    close(fd);
    end();
}

TEST(conn_begins_each_of_several_replies_to_such_a_client_once)
{
    start();
    const int fd = client();
    say(fd, "GET /v1/model?model=x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" GET("x"));
    shutdown(fd, SHUT_WR);
    assert_string_equal(hear(fd), "HTTP/1.1 ");
    answer(0, 1);
    const char *got = hear(fd);
    assert_int_equal(strncmp(got, "200 OK\r\n", 8), 0);
    assert_int_equal(count_of(got, "\r\n\r\nxHTTP/1.1 "), 1);
    answer(1, 1);
    got = hear(fd);
    assert_int_equal(strncmp(got, "200 OK\r\n", 8), 0);
    assert_int_equal(count_of(got, "HTTP/1."), 0);
    assert_true(server.is_eof);
    close(fd);
    end();
}

TEST(conn_of_a_client_that_is_gone_cancels_its_call)
{
    start();
    for (int later = 0; later < 2; later++) {
        const int fd = client();
        fake.cancels_later = later == 1;
        say(fd, GET("x"));
        close(fd);
        turn();
        assert_int_equal(fake.cancelled, later + 1);
        assert_int_equal(server.group->open_count, 0);
        assert_int_equal(server.open_count, 0);
        assert_true((fake.calls[later] != NULL) == fake.cancels_later);
    }
    answer(1, 5); /* and only then the connection is freed */
    end();
}

TEST(conn_of_packets_ends_when_its_client_shuts_down_its_sending_side)
{
    char hello[PACKET_HELLO_BYTES] = PACKET_MAGIC;
    static const char path[PACKET_ALIGNMENT] = "a"; /* with its padding */
    struct packet open = {.kind = PACKET_OPEN, .id = 3};
    struct buf bytes;
    start();
    const int fd = connect_as(true, false);
    hello[8] = 1;
    buf_init(&bytes, 0);
    open.payload_bytes = 1;
    packet_put_header(&bytes, &open);
    buf_put(&bytes, path, sizeof path);
    assert_int_equal(send(fd, hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
    assert_int_equal(send(fd, bytes.data, bytes.size_bytes, MSG_NOSIGNAL), bytes.size_bytes);
    turn();
    assert_int_equal(fake.count, 1);
    assert_string_equal(fake.calls[0]->request.model, "a");
    shutdown(fd, SHUT_WR);
    turn();
    assert_int_equal(fake.cancelled, 1);
    assert_int_equal(server.group->open_count, 0);
    buf_fini(&bytes);
    close(fd);
    end();
}

/* --- clients that read slowly, not at all, or fast --- */

/* A client on another host, whose socket takes more at once than a Unix socket does. */
static int client_over_tcp(void)
{
    const int bytes = 1 << 20;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    const int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(accepted >= 0);
    assert_int_equal(setsockopt(accepted, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    close(listener);
    server.open_count++;
    conn_group_accept(server.group, &(struct conn_arrival){.fd = accepted});
    return fd;
}

TEST(conn_of_a_slow_reader_answers_no_more_than_its_queue_holds)
{
    struct buf requests;
    start();
    const int fd = client();
    buf_init(&requests, 0);
    for (int i = 0; i < 32; i++)
        buf_put_text(&requests, GET("x"));
    buf_put_char(&requests, '\0');
    fake.body_bytes = BIG_BYTES;
    say(fd, requests.data);
    const uint64_t queue_max = server.config.limits.value[LIMIT_WRITE_QUEUE_BYTES];
    const uint32_t made = fake.count;
    assert_true(made > 0 && made < 32);
    assert_true(only_conn()->out.unsent_bytes < queue_max + BIG_BYTES + 4096);
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 200 "), 32); /* reading makes room */
    assert_int_equal(fake.count, 32);
    buf_fini(&requests);
    close(fd);
    end();
}

TEST(conn_of_a_fast_reader_sends_a_part_of_a_large_reply_in_each_turn)
{
    start();
    const int fd = client_over_tcp();
    fake.body_bytes = 100 * BIG_BYTES;
    assert_int_equal(send(fd, GET("x"), strlen(GET("x")), 0), strlen(GET("x")));
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    server.fast_fd = fd;
    while (fake.count == 0)
        uv_run(&server.loop, UV_RUN_NOWAIT);
    for (size_t unsent_bytes; (unsent_bytes = only_conn()->out.unsent_bytes) > 0;) {
        uv_run(&server.loop, UV_RUN_NOWAIT);
        assert_true(unsent_bytes - only_conn()->out.unsent_bytes <= TURN_BYTES);
        hear(fd);
    }
    close(fd);
    end();
}

TEST(conn_leaves_large_unread_replies_to_a_thread)
{
    start();
    fake.body_bytes = 4 * BIG_BYTES;
    for (int i = 0; i < 2; i++) {
        const int fd = client();
        say(fd, GET("x"));
        assert_true(only_conn()->out.unsent_bytes > 2 * BIG_BYTES);
        if (i == 0)
            conn_group_close_all(server.group);
        close(fd);
        turn();
        assert_int_equal(server.group->open_count, 0);
    }
    end();
    assert_int_equal(server.freed_bytes, 0);
}

TEST(conn_of_a_client_that_reads_too_little_is_closed)
{
    static char bytes[65536];
    start();
    const int fd = client();
    const uint64_t time_ms = server.config.limits.value[LIMIT_WRITE_TIME_MS];
    fake.body_bytes = 10 * BIG_BYTES;
    say(fd, GET("x"));
    pass(time_ms - SOON_MS);
    assert_int_equal(server.group->open_count, 1);
    assert_true(recv(fd, bytes, sizeof bytes, 0) > 0);
    assert_true(recv(fd, bytes, sizeof bytes, 0) > 0);
    turn();
    pass(2 * SOON_MS); /* it has read enough for another time */
    assert_int_equal(server.group->open_count, 1);
    pass(time_ms - SOON_MS);
    assert_int_equal(server.group->open_count, 1);
    pass(2 * SOON_MS);
    assert_int_equal(server.group->open_count, 0);
    close(fd);
    end();
}

/* --- behind a proxy --- */

#define PROXIED "PROXY TCP4 203.0.113.9 198.51.100.1 56324 443\r\n"

static void trust(const char *list)
{
    struct err err;
    assert_int_equal(trusted_proxies_add(&server.proxies.trusted, list, &err), 0);
}

TEST(conn_of_a_trusted_proxy_is_that_of_its_client)
{
    for (int has_packets = 0; has_packets < 2; has_packets++) {
        start();
        trust("unix");
        const int fd = connect_as(has_packets == 1, false);
        for (const char *at = PROXIED GET("x"); *at != '\0'; at++) /* however the bytes come */
            say(fd, (const char[]){*at, '\0'});
        assert_int_equal(fake.count, 1);
        assert_string_equal(only_conn()->remote, "203.0.113.9:56324");
        assert_false(only_conn()->is_trusted);
        answer(0, 1);
        assert_int_equal(count_of(hear(fd), "HTTP/1.1 200 "), 1);
        say(fd, PROXIED GET("x")); /* it comes once */
        assert_int_equal(count_of(hear(fd), "HTTP/1.1 400 "), 1);
        close(fd);
        end();
        trusted_proxies_fini(&server.proxies.trusted);
    }
}

TEST(conn_of_a_trusted_proxy_needs_no_header)
{
    start();
    trust("unix, 203.0.113.0/24");
    int fd = client();
    say(fd, "\r\n"); /* may begin one */
    assert_int_equal(only_conn()->in_bytes, 2);
    say(fd, "GET /v1/model?model=x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.1.1.1, 192.0.2.1\r\n\r\n");
    assert_string_equal(only_conn()->remote, "unix");
    assert_string_equal(only_conn()->client, "192.0.2.1");
    answer(0, 1);
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 200 "), 1);
    say(fd, GET("x"));
    assert_string_equal(only_conn()->client, ""); /* of a request, not of the connection */
    answer(1, 1);
    close(fd);
    turn();
    fd = client();
    say(fd, PROXIED "GET /v1/model?model=x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n");
    assert_string_equal(only_conn()->client, "192.0.2.2"); /* the first proxy names a second, trusted one */
    answer(2, 1);
    close(fd);
    end();
    trusted_proxies_fini(&server.proxies.trusted);
}

TEST(conn_of_anybody_else_has_no_proxy_header)
{
    start();
    trust("10.0.0.0/8");
    const int fd = client();
    say(fd, PROXIED GET("x"));
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 400 "), 1);
    assert_int_equal(fake.count, 0);
    close(fd);
    turn();
    const int other = client();
    say(other, "GET /v1/model?model=x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n");
    assert_string_equal(only_conn()->client, "");
    answer(0, 1);
    close(other);
    end();
    trusted_proxies_fini(&server.proxies.trusted);
}

TEST(conn_of_a_trusted_proxy_refuses_what_is_no_header)
{
    start();
    trust("unix");
    for (int has_packets = 0; has_packets < 2; has_packets++) {
        int fd = connect_as(has_packets == 1, false);
        say(fd, "PROXY TCP4 nobody\r\n" GET("x"));
        const char *got = hear(fd);
        assert_int_equal(count_of(got, "HTTP/1.1 400 "), 1);
        assert_non_null(strstr(got, "PROXY header"));
        assert_true(server.is_eof);
        close(fd);
        turn();
        fd = connect_as(has_packets == 1, false);
        say(fd, "PROXY TCP4 203"); /* and no more */
        shutdown(fd, SHUT_WR);
        turn();
        assert_int_equal(server.group->open_count, 0);
        close(fd);
        fd = connect_as(has_packets == 1, false);
        say(fd, "PROXY TCP4 203");
        conn_group_drain(server.group);
        turn();
        assert_int_equal(server.group->open_count, 0);
        close(fd);
    }
    assert_int_equal(fake.count, 0);
    end();
    trusted_proxies_fini(&server.proxies.trusted);
}

/* --- time --- */

TEST(conn_without_a_request_is_closed_without_a_word)
{
    start();
    const int fd = client();
    pass(server.config.limits.value[LIMIT_HEADER_TIME_MS] - SOON_MS);
    assert_int_equal(server.group->open_count, 1);
    pass(2 * SOON_MS);
    assert_string_equal(hear(fd), "");
    assert_true(server.is_eof);
    close(fd);
    end();
}

TEST(conn_tells_a_client_that_is_late_with_its_request)
{
    static const struct {
        const char *begun, *why;
        int limit;
    } LATE[] = {
        {"GET / HTTP/1.1\r\nHost: loc", "headers did not arrive", LIMIT_HEADER_TIME_MS},
        {"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", "body did not arrive",
         LIMIT_BODY_TIME_MS},
    };
    start();
    for (size_t i = 0; i < sizeof LATE / sizeof *LATE; i++) {
        const int fd = client();
        say(fd, LATE[i].begun);
        pass(server.config.limits.value[LATE[i].limit] - SOON_MS);
        assert_string_equal(hear(fd), "");
        pass(2 * SOON_MS);
        const char *got = hear(fd);
        assert_int_equal(count_of(got, "HTTP/1.1 408 "), 1);
        assert_non_null(strstr(got, LATE[i].why));
        assert_true(server.is_eof);
        assert_int_equal(only_conn()->state, CONN_LINGERING);
        pass(2000 + SOON_MS); /* nor does it close its side */
        assert_int_equal(server.group->open_count, 0);
        close(fd);
    }
    end();
}

TEST(conn_between_requests_stays_for_the_idle_time_and_a_call_for_as_long_as_it_takes)
{
    start();
    const int fd = client();
    const uint64_t idle_ms = server.config.limits.value[LIMIT_IDLE_TIME_MS];
    say(fd, GET("x"));
    pass(100 * idle_ms);
    assert_int_equal(only_conn()->state, CONN_CALLING);
    answer(0, 5);
    hear(fd);
    pass(idle_ms - SOON_MS);
    assert_int_equal(server.group->open_count, 1);
    pass(2 * SOON_MS);
    assert_string_equal(hear(fd), "");
    assert_true(server.is_eof);
    close(fd);
    end();
}

/* --- refusals and the end --- */

TEST(conn_above_the_limit_is_refused)
{
    start();
    for (int has_packets = 0; has_packets < 2; has_packets++) {
        const int fd = connect_as(has_packets == 1, true);
        if (has_packets == 1) { /* its first byte has to say what it speaks */
            assert_string_equal(hear(fd), "");
            assert_int_equal(only_conn()->state, CONN_REFUSED);
            say(fd, GET("x"));
        }
        const char *got = hear(fd);
        assert_int_equal(count_of(got, "HTTP/1.1 503 "), 1);
        assert_non_null(strstr(got, "\"overloaded\""));
        assert_true(server.is_eof);
        close(fd);
        turn();
        assert_int_equal(server.group->open_count, 0);
    }
    assert_int_equal(fake.count, 0);
    end();
}

TEST(conn_group_that_drains_closes_who_is_idle_and_answers_who_waits)
{
    start();
    const int idle = client(), busy = client();
    say(busy, GET("x") GET("y"));
    server.group->is_draining = true;
    conn_group_drain(server.group);
    assert_string_equal(hear(idle), "");
    assert_true(server.is_eof);
    answer(0, 5);
    const char *got = hear(busy);
    assert_int_equal(count_of(got, "HTTP/1.1 "), 1);
    assert_non_null(strcasestr(got, "connection: close"));
    assert_true(server.is_eof);
    close(idle);
    close(busy);
    end();
}

TEST(conn_group_that_drains_answers_who_has_sent_a_request)
{
    start();
    const int fd = client();
    turn();
    assert_int_equal(send(fd, GET("x"), strlen(GET("x")), 0), strlen(GET("x"))); /* the loop has yet to read it */
    fake.body_bytes = 5;
    server.group->is_draining = true;
    conn_group_drain(server.group);
    const char *got = hear(fd);
    assert_int_equal(count_of(got, "HTTP/1.1 200 "), 1);
    assert_non_null(strcasestr(got, "connection: close"));
    assert_true(server.is_eof);
    close(fd);
    end();
}

/* --- replies in pieces --- */

static struct pieces {
    struct body_stream base;
    int left;
    bool is_broken, is_freed;
} pieces;

static int next_piece(struct body_stream *base, struct buf *out, struct err *err)
{
    struct pieces *own = container_of(base, struct pieces, base);
    if (own->is_broken)
        return err_set(err, ERR_INTERNAL, "made to break");
    buf_put_text(out, "piece");
    return --own->left > 0;
}

static size_t held_by_pieces(const struct body_stream *base)
{
    (void)base;
    return 0;
}

static void free_pieces(struct body_stream *base) { container_of(base, struct pieces, base)->is_freed = true; }

/* Answers with a body in count pieces. */
static void answer_in_pieces(uint32_t index, int count)
{
    struct call *call = fake.calls[index];
    struct reply reply;
    pieces = (struct pieces){.base = {.next = next_piece, .held_bytes = held_by_pieces, .free = free_pieces},
                             .left = count - 1};
    fake.calls[index] = NULL;
    reply_init(&reply);
    reply.content_type = "text/plain";
    buf_put_text(&reply.body, "first");
    reply.rest = &pieces.base;
    reply.rest_bytes = REPLY_REST_UNKNOWN;
    call->done(call, &reply);
}

/* The loop runs until work threads are done. */
static void wait_while_streaming(void)
{
    for (int i = 0; i < 5000 && server.group->first != NULL && server.group->first->state == CONN_STREAMING; i++) {
        uv_run(&server.loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
}

TEST(conn_sends_a_body_in_pieces_before_the_next_reply)
{
    start();
    const int fd = client();
    say(fd, GET("x") GET("y"));
    answer_in_pieces(0, 3);
    assert_int_equal(only_conn()->state, CONN_STREAMING);
    assert_int_equal(fake.count, 1);
    wait_while_streaming();
    assert_int_equal(only_conn()->state, CONN_CALLING);
    assert_true(pieces.is_freed);
    const char *got = hear(fd);
    assert_non_null(strstr(got, "5\r\nfirst\r\n5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n"));
    answer(1, 1);
    assert_int_equal(count_of(hear(fd), "HTTP/1.1 200 "), 1);
    close(fd);
    end();
}

TEST(conn_whose_body_breaks_closes_before_its_end)
{
    start();
    const int fd = client();
    say(fd, GET("x"));
    answer_in_pieces(0, 3);
    pieces.is_broken = true;
    wait_while_streaming();
    const char *got = hear(fd);
    assert_null(strstr(got, "0\r\n\r\n"));
    assert_true(server.is_eof);
    assert_true(pieces.is_freed);
    assert_int_equal(server.group->open_count, 0);
    close(fd);
    end();
}

TEST(conn_that_is_closed_while_a_piece_is_made_lets_its_thread_end)
{
    start();
    const int fd = client();
    say(fd, GET("x"));
    answer_in_pieces(0, 1000000);
    conn_group_close_all(server.group);
    assert_true(pieces.base.is_stopped);
    close(fd);
    end();
    assert_true(pieces.is_freed);
}
