/* import_outcome.c - turns the exit of an importer into a sealed model or an error with a sentence. */
#include "daemon/importer/import_outcome.h"

#include "worker/import_result.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUOTE_SIZE = 240 };
enum { RESULT_SLACK_BYTES = 1 << 20 }; /* the result is a little larger than the arrays it is made of */

/* Copies the last line of `words` that holds `part` ("": the last line with anything in it). */
static bool quote_line(const char *words, const char *part, char out[QUOTE_SIZE])
{
    bool is_found = false;
    for (const char *line = words; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        if (size > 0 && memmem(line, size, part, strlen(part)) != NULL) {
            snprintf(out, QUOTE_SIZE, "%.*s", (int)(size < QUOTE_SIZE ? size : QUOTE_SIZE), line);
            is_found = true;
        }
        line += size;
        line += *line != '\0';
    }
    return is_found;
}

/* Writes its last output, for the end of a sentence: ": WORDS", or "". */
static const char *last_words(const struct import_exit *end, char out[QUOTE_SIZE + 2])
{
    char quote[QUOTE_SIZE] = "";
    snprintf(out, QUOTE_SIZE + 2, "%s%s", quote_line(end->child.output, "", quote) ? ": " : "", quote);
    return out;
}

/* What to do about formats whose readers end so on valid files, too; else "". */
static const char *remedy_of(const char *path)
{
    static const struct {
        const char *extension, *remedy;
    } REMEDIES[] = {
        {".blend",
         "; the reader of .blend files ends so on some valid ones, too: export it from Blender as glTF (.glb)"},
        {".ogex", "; the reader of .ogex files ends so on some valid ones, too: export it as glTF"},
    };
    const char *extension = strrchr(path, '.');
    for (size_t i = 0; extension != NULL && i < sizeof REMEDIES / sizeof *REMEDIES; i++)
        if (strcasecmp(extension, REMEDIES[i].extension) == 0)
            return REMEDIES[i].remedy;
    return "";
}

static int explain_abort(const struct import_exit *end, struct err *err)
{
    char quote[QUOTE_SIZE + 2];
    const char *words = end->child.output;
    if (strstr(words, "std::bad_alloc") != NULL || strstr(words, "std::length_error") != NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the import needs more memory than the limit of %llu bytes; see %s",
                       (unsigned long long)end->limits->value[LIMIT_IMPORT_MEMORY_BYTES],
                       LIMIT_TEXT(end->limits, LIMIT_IMPORT_MEMORY_BYTES));
    /* A check of a library, or an exception of C++ that nothing caught: their words are about code */
    if (quote_line(words, "ssertion", quote) || quote_line(words, "ai_assert", quote) ||
        quote_line(words, "terminate called", quote))
        return err_set(err, ERR_IMPORT_ABORTED,
                       "the importer stopped at a check of its own: the file does not follow its format%s",
                       remedy_of(end->path));
    return err_set(err, ERR_IMPORT_ABORTED, "the importer gave up (signal %d, aborted)%s%s", SIGABRT,
                   last_words(end, quote), remedy_of(end->path)); /* the C library's: "free(): invalid pointer" */
}

static int explain_size(const struct import_exit *end, struct err *err)
{
    return err_set(err, ERR_IMPORT_TOO_LARGE, "the imported model is larger than the limit of %llu bytes; see %s",
                   (unsigned long long)end->limits->value[LIMIT_BAKED_BYTES],
                   LIMIT_TEXT(end->limits, LIMIT_BAKED_BYTES));
}

/* By a signal that a file cannot make an importer raise: a filter on system calls keeps it from kill(). */
static bool is_from_outside(int term_signal)
{
    return term_signal == SIGKILL || term_signal == SIGTERM || term_signal == SIGINT || term_signal == SIGHUP ||
           term_signal == SIGQUIT;
}

bool import_exit_is_kill(const struct import_exit *end)
{
    return !end->child.is_timeout && !end->is_breach && !end->is_starved && !end->is_unavailable &&
           is_from_outside(end->child.term_signal);
}

bool import_exit_is_transient(const struct import_exit *end)
{
    return end->child.start_error == -ECONNRESET || (end->child.is_timeout && !end->is_unavailable);
}

bool import_exit_needs_libraries(const struct import_exit *end)
{
    return !end->has_libraries && end->child.start_error == 0 && end->child.term_signal == 0 &&
           end->child.status == EXIT_NEEDS_LIBRARIES;
}

static int explain_kill(const struct import_exit *end, struct err *err)
{
    const int number = end->child.term_signal;
    const char *memory = number == SIGKILL ? ", perhaps because the machine or container ran out of memory" : "";
    if (!end->is_killed_again)
        return err_set(err, ERR_IMPORT_KILLED,
                       "the importer was killed from outside (signal %d, %s)%s; try again later", number,
                       sigdescr_np(number), memory);
    return err_set(err, number == SIGKILL ? ERR_IMPORT_MEMORY : ERR_IMPORT_CRASHED,
                   "the importer was killed twice in a row from outside (signal %d, %s)%s", number, sigdescr_np(number),
                   memory);
}

static int explain_signal(const struct import_exit *end, struct err *err)
{
    const int number = end->child.term_signal;
    const char *name = sigdescr_np(number);
    char call[DENIED_SYSCALL_SIZE];
    switch (number) {
    case SIGABRT:
        return explain_abort(end, err);
    case SIGXCPU:
        return err_set(err, ERR_IMPORT_CPU, "the import used more processor time than the limit of %llu s; see %s",
                       (unsigned long long)end->limits->value[LIMIT_IMPORT_CPU_S],
                       LIMIT_TEXT(end->limits, LIMIT_IMPORT_CPU_S));
    case SIGSYS:
        return err_set(err, ERR_IMPORT_SYSCALL, "the importer was stopped at %s, which no importer may do",
                       child_exit_denied_syscall(end->child.output, call));
    case SIGXFSZ:
        return explain_size(end, err);
    default:
        if (is_from_outside(number))
            return explain_kill(end, err);
        return err_set(err, ERR_IMPORT_CRASHED, "the importer crashed (signal %d, %s)%s", number,
                       name != NULL ? name : "unknown", remedy_of(end->path));
    }
}

/* It ended by itself, but left nothing that can be used. */
static int explain_status(const struct import_exit *end, struct err *err)
{
    char words[QUOTE_SIZE + 2];
    return err_set(err, ERR_IMPORT_CRASHED, "the importer ended with exit status %d and without a result%s",
                   (int)end->child.status, last_words(end, words));
}

/* The errors by which an importer may refuse a file; any other error is a fault of the importer itself. */
static int code_of_failure(uint32_t number)
{
    const int code = err_from_number(number);
    switch (code) {
    case ERR_MODEL_NOT_FOUND:
    case ERR_FORBIDDEN:
    case ERR_SOURCE_UNAVAILABLE:
    case ERR_UNSUPPORTED_FILE:
        return code;
    case ERR_IMPORT_TIMEOUT: /* the server's to say: it is not remembered */
        return ERR_IMPORT_CRASHED;
    case ERR_NO_MEMORY: /* its own, not the server's */
        return ERR_IMPORT_MEMORY;
    default:
        return code <= ERR_BAD_KEYS && code >= ERR_NOTHING_TO_DRAW ? code : ERR_IMPORT_CRASHED;
    }
}

static int read_failure(int fd, const struct import_exit *end, struct err *err)
{
    struct import_failure failure;
    if (pread(fd, &failure, sizeof failure, 0) != (ssize_t)sizeof failure ||
        memcmp(failure.magic, IMPORT_FAILURE_MAGIC, sizeof failure.magic) != 0)
        return explain_status(end, err);
    failure.message[sizeof failure.message - 1] = '\0';
    const int code = code_of_failure(failure.number);
    return err_set(err, code, "%s%s", code == ERR_IMPORT_CRASHED ? "the importer failed: " : "",
                   failure.message[0] != '\0' ? failure.message : err_meaning(code));
}

/* The importer never existed. A fork server that ended meanwhile is replaced; resources may be short for now. */
static int explain_start(const struct import_exit *end, struct err *err)
{
    char words[QUOTE_SIZE + 2];
    const int error = -end->child.start_error;
    if (error == ECONNRESET)
        return err_set(err, ERR_OVERLOADED,
                       "the process that makes importers ended before it made this one%s; try again later",
                       last_words(end, words));
    return err_set(err, err_is_shortage(error) ? ERR_OVERLOADED : ERR_INTERNAL, "cannot make an importer: %s%s",
                   strerror(error), last_words(end, words));
}

/* 0 when it ended well and left something. */
static int check_end(int result_fd, const struct import_exit *end, struct err *err)
{
    if (end->child.start_error != 0)
        return explain_start(end, err);
    if (end->child.is_timeout && !end->is_unavailable)
        return err_set(err, ERR_IMPORT_TIMEOUT,
                       "the import took longer than the limit of %llu ms, twice; see %s; try again later",
                       (unsigned long long)end->limits->value[LIMIT_IMPORT_TIME_MS],
                       LIMIT_TEXT(end->limits, LIMIT_IMPORT_TIME_MS));
    if (end->is_unavailable)
        return err_set(err, ERR_SOURCE_UNAVAILABLE,
                       "the folder of the models could not be read during the import; try again later");
    if (end->is_starved)
        return err_set(err, ERR_OVERLOADED,
                       "no file descriptor or memory was free for a file that its import asked for; try again later");
    if (end->is_breach)
        return err_set(err, ERR_IMPORT_CRASHED, "the importer asked the server for something that is no request");
    if (end->child.term_signal != 0)
        return explain_signal(end, err);
    if (end->child.status == EXIT_REFUSED)
        return read_failure(result_fd, end, err);
    return end->child.status == EXIT_BAKED ? 0 : explain_status(end, err);
}

/* The fd's bytes and size cannot change any more, not even by a surviving child of the importer. */
static int seal_result(int result_fd, const struct import_exit *end, struct err *err)
{
    struct stat stat;
    if (imported_model_seal(result_fd, err) < 0) {
        err_prefix(err, "the importer's result");
        return err->code;
    }
    if (fstat(result_fd, &stat) == 0 &&
        (uint64_t)stat.st_size > end->limits->value[LIMIT_BAKED_BYTES] + RESULT_SLACK_BYTES)
        return explain_size(end, err);
    return 0;
}

int import_outcome_archive(int result_fd, const struct import_exit *end, struct err *err)
{
    if (check_end(result_fd, end, err) == 0 && seal_result(result_fd, end, err) == 0)
        return 0;
    if (strstr(err->message, end->path) == NULL)
        err_prefix(err, "%s", end->path);
    return err->code;
}

int import_outcome(int result_fd, const struct import_exit *end, uint64_t key, struct imported_model **out,
                   struct err *err)
{
    *out = NULL;
    if (import_outcome_archive(result_fd, end, err) < 0)
        return err->code;
    if (imported_model_open(result_fd, key, out, err) == 0)
        return 0;
    err_prefix(err, "%s: the importer's result", end->path);
    return err->code;
}
