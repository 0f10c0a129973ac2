/* load_run.h - the run of load.c: connections, requests when they are due, answers as they come. One thread. */
#pragma once

#include "tests/bench/load/load_speech.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LOAD_PIPELINE_MAX = 256, LOAD_STATUS_COUNT = 600 };

struct request {
    char *bytes; /* as sent, but for {} */
    size_t size;
    char *gap; /* where {} is, or NULL */
};

struct load {
    const char *name;
    const struct load_speech *speech;
    uint32_t conn_count, pipeline;
    int pid;                /* the server's, or 0 */
    double server_s, own_s; /* processor time when the warm-up ended; then what was used since */
    double times_s;         /* {t} is below */
    double rate, seconds, warm_up_s;
    struct conn *conns;
    struct request *requests;
    uint32_t request_count, next_request, next_conn;
    uint64_t next_number;
    int epoll;
    uint64_t start_ns, measured_ns, end_ns;
    uint64_t due_count; /* with a rate: requests that were due and sent so far */
    uint32_t *times_us; /* of answers behind the warm-up */
    size_t time_count, time_capacity;
    uint64_t body_bytes, late_count, broken_count; /* late: due while all connections were busy */
    uint64_t statuses[LOAD_STATUS_COUNT];
    bool is_measuring;
};

/* Where the server is. */
struct place {
    union {
        struct sockaddr any;
        struct sockaddr_in ip;
        struct sockaddr_un unix_socket;
    } address;
    socklen_t size;
};

/* Fills in what was seen; ends the program where it cannot begin. */
void load_run(struct load *load, const struct place *place);
/* Requests that have no answer yet; with a rate also those that could not be sent. */
uint64_t load_count_unanswered(const struct load *load);

void *load_grow(void *p, size_t bytes); /* never NULL */
_Noreturn void load_die(const char *what, const char *detail);
