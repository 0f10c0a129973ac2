/* load_run.h - the run of load.c: opens connections, sends requests when they are due, and reads answers. One thread.
 */
#pragma once

#include "tests/bench/load/load_speech.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LOAD_PIPELINE_MAX = 256, LOAD_STATUS_COUNT = 600 };

struct request {
    char *bytes; /* as sent, but for {} */
    size_t size;
    char *gap; /* the place of {}, or NULL */
};

struct load {
    const char *name;
    const struct load_speech *speech;
    uint32_t conn_count, pipeline;
    int pid;                /* of the server, or 0 */
    double server_s, own_s; /* processor time at the end of the warm-up; then the time since */
    double times_s;         /* the times that replace {t} */
    double rate, seconds, warm_up_s;
    struct conn *conns;
    struct request *requests;
    uint32_t request_count, next_request, next_conn;
    uint64_t next_number;
    int epoll;
    uint64_t start_ns, measured_ns, end_ns;
    uint64_t due_count; /* with a rate: requests that were due and sent so far */
    uint32_t *times_us; /* of answers after the warm-up */
    size_t time_count, time_capacity;
    uint64_t body_bytes, late_count, broken_count; /* late: due while all connections were busy */
    uint64_t statuses[LOAD_STATUS_COUNT];
    bool is_measuring;
};

/* The address of the server. */
struct place {
    union {
        struct sockaddr any;
        struct sockaddr_in ip;
        struct sockaddr_un unix_socket;
    } address;
    socklen_t size;
};

/* Runs the load and fills in the results. Ends the program if it cannot begin. */
void load_run(struct load *load, const struct place *place);
/* Returns the number of requests without an answer. With a rate it includes requests that could not be sent. */
uint64_t load_count_unanswered(const struct load *load);

void *load_grow(void *p, size_t bytes); /* never NULL */
_Noreturn void load_die(const char *what, const char *detail);
