/* Connections of a session: sends requests, with retries, and finds the words for their errors. */
#include "clients/cli/server/connection.h"

#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/limit_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECEIVE_BYTES = 1 << 16,
    SEND_BYTES = (1 << 20) + (1 << 16),  /* a request with the longest body that a server takes by default */
    KEEP_BYTES = SEND_BYTES + (1 << 18), /* enough for a request, and for the models that a watch has */
    RECONNECT_TRIES = 1000,              /* as many as the time allows */
    ANSWER_MS = 300000,                  /* the server itself limits the time of imports and pictures */
    TRIES = 8,
    RETRY_S_MAX = 5,
};

static void *grow(void *context, void *memory, size_t size_bytes)
{
    (void)context;
    return realloc(memory, size_bytes);
}

static int connect_to_server(struct connection *connection)
{
    const struct session *session = connection->session;
    struct posed_options options = {.memory = connection->posed.memory != NULL ? connection->posed.memory
                                                                               : must_alloc(RECEIVE_BYTES),
                                    .memory_bytes = RECEIVE_BYTES,
                                    .grow = grow,
                                    .send_memory = connection->send_memory,
                                    .send_bytes = SEND_BYTES,
                                    .token = session->token[0] == '\0' ? NULL : session->token,
                                    .keep_memory = connection->keep_memory,
                                    .keep_bytes = KEEP_BYTES,
                                    .reconnect_tries = session->reconnect_ms > 0 ? RECONNECT_TRIES : -1,
                                    .reconnect_ms = session->reconnect_ms,
                                    .timeout_ms = ANSWER_MS,
                                    .on_event = connection->on_event,
                                    .event_context = connection->event_context};
    connection->posed.memory = options.memory;
    return posed_connect(&connection->posed, session->address, &options);
}

int connection_open(struct connection *connection, const struct session *session,
                    void (*on_event)(void *context, const struct posed_packet *packet), void *context)
{
    *connection = (struct connection){.session = session,
                                      .send_memory = must_grow(NULL, SEND_BYTES),
                                      .keep_memory = must_grow(NULL, KEEP_BYTES),
                                      .on_event = on_event,
                                      .event_context = context};
    if (connect_to_server(connection) == 0)
        return 0;
    struct text message = {0};
    const int status = connection->posed.error.status;
    char code[64];
    connection_error_code(connection, code);
    text_printf(&message, "server %s: %s%s", session->address, connection->posed.error.message,
                status == POSED_E_PROTOCOL ? "; is this the port of its --http? posectl needs --tcp or --unix" : "");
    terminal_coded_error(status == POSED_E_ARGUMENT ? "connection_lost" : code, message.at, NULL, 0);
    text_free(&message);
    connection_close(connection);
    return -1;
}

void connection_close(struct connection *connection)
{
    posed_disconnect(&connection->posed);
    free(connection->posed.memory);
    free(connection->send_memory);
    free(connection->keep_memory);
    *connection = (struct connection){0};
}

/* Returns whether the server has tried the work twice already, which takes minutes if it hangs. */
static bool has_been_tried(int code) { return code == POSED_ERR_IMPORT_TIMEOUT || code == POSED_ERR_RENDER_TIMEOUT; }

/* Returns the seconds to wait before the next try; -1: do not try again. */
static double pause_before_retry(const struct posed_error *error, int tries)
{
    if (error->status != POSED_E_SERVER || error->retry_after_s == 0 || error->code == POSED_ERR_SHUTTING_DOWN ||
        has_been_tried(error->code))
        return -1;
    const double wanted_s = error->retry_after_s > RETRY_S_MAX ? RETRY_S_MAX : error->retry_after_s;
    return error->code == POSED_ERR_OVERLOADED && tries == 0 ? 0.2 : wanted_s;
}

int connection_request(struct connection *connection, const char *target, const char *body, struct posed_packet *answer)
{
    for (int tries = 0;; tries++) {
        if (!connection->posed.is_connected && connect_to_server(connection) < 0)
            return connection->posed.error.status;
        const int rc = posed_call(&connection->posed, NULL, target, body, body == NULL ? 0 : strlen(body), answer);
        if (rc == 0)
            return 0;
        const struct posed_error *error = &connection->posed.error;
        const bool is_broken =
            error->status != POSED_E_SERVER && error->status != POSED_E_ARGUMENT && error->status != POSED_E_TOO_LARGE;
        if (is_broken)
            posed_disconnect(&connection->posed);
        const double pause_s = pause_before_retry(error, tries);
        if (pause_s < 0 || tries + 1 >= TRIES || is_interrupted())
            return rc;
        sleep_s(pause_s);
    }
}

int connection_request_model(struct connection *connection, const char *operation, const char *model, const char *query,
                             const char *body, struct posed_packet *answer)
{
    struct text target = {0};
    text_printf(&target, "/v1/%s?model=", operation);
    text_put_url(&target, model);
    text_put(&target, query);
    const int rc = connection_request(connection, target.at, body, answer);
    text_free(&target);
    return rc;
}

int connection_read_json(struct connection *connection, const struct posed_packet *answer, cJSON **json)
{
    *json = answer->kind == POSED_JSON ? cJSON_ParseWithLength((const char *)answer->data, answer->data_bytes) : NULL;
    if (cJSON_IsObject(*json))
        return 0;
    cJSON_Delete(*json);
    *json = NULL;
    connection->posed.error = (struct posed_error){.status = POSED_E_PROTOCOL, .offset = UINT64_MAX};
    snprintf(connection->posed.error.message, sizeof connection->posed.error.message,
             "the server's answer is not the JSON that was asked for");
    return POSED_E_PROTOCOL;
}

int connection_request_json(struct connection *connection, const char *operation, const char *model, const char *query,
                            const char *body, cJSON **json)
{
    struct posed_packet answer;
    const int rc = connection_request_model(connection, operation, model, query, body, &answer);
    *json = NULL;
    return rc != 0 ? rc : connection_read_json(connection, &answer, json);
}

void connection_put_candidates(const struct connection *connection, const char *before, struct text *out)
{
    const struct posed_error *error = &connection->posed.error;
    cJSON *json = cJSON_ParseWithLength(error->json == NULL ? "" : error->json, error->json_bytes);
    const char *separator = before;
    const cJSON *candidate;
    cJSON_ArrayForEach(candidate, json_get(json_get(json, "error"), "candidates"))
    {
        text_printf(out, "%s%.0f '%s'", separator, member_number(candidate, "index"), member_text(candidate, "name"));
        separator = ", ";
    }
    cJSON_Delete(json);
}

static void report_candidates(const struct connection *connection)
{
    struct text out = {0};
    connection_put_candidates(connection, "candidates: ", &out);
    if (out.size_bytes > 0)
        terminal_error("%s", out.at);
    text_free(&out);
}

void connection_report_error(const struct connection *connection)
{
    const struct posed_error *error = &connection->posed.error;
    const bool is_answered = error->status == POSED_E_SERVER;
    char code[64];
    struct text message = {0};
    connection_error_code(connection, code);
    text_put(&message, error->message);
    limit_hint_put(connection, &message);
    if (is_answered && !connection->session->is_private)
        text_printf(&message, " (server %s)", error->server);
    terminal_coded_error(code, message.at, is_answered ? error->json : NULL, error->json_bytes);
    text_free(&message);
    if (is_answered)
        report_candidates(connection);
    if (is_answered && error->code == POSED_ERR_UNKNOWN_PARAMETER && !connection->session->has_own_parameters)
        terminal_error("the server's version differs from that of posectl");
}

bool connection_blames_command_line(const struct connection *connection)
{
    static const int CODES[] = {POSED_ERR_BAD_PARAMETER, POSED_ERR_UNKNOWN_PARAMETER, POSED_ERR_DUPLICATE_PARAMETER,
                                POSED_ERR_MISSING_PARAMETER, POSED_ERR_BAD_REQUEST};
    const struct posed_error *error = &connection->posed.error;
    for (size_t i = 0; error->status == POSED_E_SERVER && i < sizeof CODES / sizeof *CODES; i++)
        if (error->code == CODES[i])
            return true;
    return false;
}

int connection_status(const struct connection *connection, int rc)
{
    if (rc == 0)
        return STATUS_DONE;
    connection_report_error(connection);
    if (rc != POSED_E_SERVER)
        return STATUS_SERVER;
    return connection_blames_command_line(connection) ? STATUS_USAGE : STATUS_FAILED;
}

const char *connection_error_message(const struct connection *connection, const char *model)
{
    const char *message = connection->posed.error.message;
    const size_t size = strlen(model);
    return strncmp(message, model, size) == 0 && strncmp(message + size, ": ", 2) == 0 ? message + size + 2 : message;
}

void connection_error_code(const struct connection *connection, char out[64])
{
    static const struct {
        int number;
        const char *name;
    } CODES[] = {
#define X(symbol, number, status, name, text) {number, name},
#include "protocol/errors.def"
#undef X
    };
    const struct posed_error *error = &connection->posed.error;
    const char *name = error->status == POSED_E_SERVER      ? "internal" /* a newer server sent it */
                       : error->status == POSED_E_TIMEOUT   ? "timed_out"
                       : error->status == POSED_E_PROTOCOL  ? "bad_answer"
                       : error->status == POSED_E_TOO_LARGE ? "no_memory"
                       : error->status == POSED_E_ARGUMENT  ? "bad_request"
                                                            : "connection_lost";
    for (size_t i = 0; error->status == POSED_E_SERVER && i < sizeof CODES / sizeof *CODES; i++)
        if (CODES[i].number == error->code)
            name = CODES[i].name;
    snprintf(out, 64, "%s", name);
}
