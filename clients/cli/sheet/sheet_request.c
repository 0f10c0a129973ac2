#include "clients/cli/sheet/sheet_request.h"

#include "clients/cli/server/estimate.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/long_progress.h"
#include "clients/cli/server/long_request.h"
#include "clients/cli/sheet/opaque_background.h"
#include "clients/cli/sheet/sheet_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An answer that takes longer than WHOLE_S comes in parts of about PART_S. */
static const double WHOLE_S = 10, PART_S = 5;

/* --- the query --- */

static enum sheet_format format_of(const struct sheet_request *request)
{
    static const struct {
        const char *word;
        enum sheet_format format;
    } WORDS[] = {{"png", SHEET_PNG},   {"apng", SHEET_APNG}, {"gif", SHEET_GIF}, {"webp", SHEET_WEBP},
                 {"json", SHEET_JSON}, {"jpeg", SHEET_JPEG}, {"y4m", SHEET_Y4M}};
    const char *given = request->format != NULL ? request->format : args_parameter(request->args, "format");
    for (size_t i = 0; given != NULL && i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(given, WORDS[i].word) == 0)
            return WORDS[i].format;
    return request->args->command == COMMAND_TURNTABLE ? SHEET_APNG : SHEET_PNG;
}

/* Puts the query. A part lacks the parameters of the file, because the join writes the file. */
static void put_query(const struct sheet_request *request, bool is_part, struct text *out)
{
    static const char *const OF_FILE[] = {"format", "quality", "compression", "background"};
    const size_t of_file = format_of(request) == SHEET_JPEG ? 4 : 3; /* a JPEG has an opaque background */
    struct args args = *request->args;
    struct given_parameter *kept = must_alloc((args.parameter_count + 1) * sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < args.parameter_count; i++) {
        bool is_kept = strcmp(args.parameters[i].name, "estimate") != 0;
        for (size_t f = 0; is_part && f < of_file; f++)
            is_kept = is_kept && strcmp(args.parameters[i].name, OF_FILE[f]) != 0;
        if (is_kept)
            kept[count++] = args.parameters[i];
    }
    args.parameters = kept;
    args.parameter_count = count;
    text_put(out, "");
    args_put_query(&args, out);
    free(kept);
    if (!is_part && request->format != NULL)
        text_printf(out, "&format=%s", request->format);
}

static const char *name_of(const struct sheet_request *request) { return COMMANDS[request->args->command].name; }

bool sheet_request_is(const struct args *args)
{
    return args->command == COMMAND_SHEET || args->command == COMMAND_TURNTABLE;
}

/* --- what is expected --- */

struct expected {
    struct long_request_estimate whole;
    double rows, rows_at_once; /* 0: unknown */
    cJSON *json;               /* the server's answer with the numbers of the whole */
};

static int ask_estimate(const struct sheet_request *request, double rows, struct expected *expected)
{
    struct text query = {0};
    struct posed_packet answer;
    put_query(request, false, &query);
    if (rows > 0)
        text_printf(&query, "&rows=%.0f", rows);
    int rc = long_request_ask(request->connection, name_of(request), name_of(request), request->model, query.at,
                              request->body, &expected->whole, &answer);
    text_free(&query);
    cJSON_Delete(expected->json);
    expected->json = NULL;
    if (rc == 0)
        rc = connection_read_json(request->connection, &answer, &expected->json);
    return rc;
}

/* Returns whether the request is sent unchanged: it asks for a part, or has parameters that posectl does not know. */
static bool is_as_given(const struct args *args)
{
    bool is_so = args_parameter(args, "rows") != NULL || args_parameter(args, "first_row") != NULL;
    for (size_t i = 0; i < args->repeated_count; i++)
        is_so = is_so || args->repeated[i].option == OPTION_PARAM;
    return is_so;
}

/* Estimates the whole sheet. The estimate of one row contains the number of rows. A second one asks for as many rows as
 * one request may draw. */
static int expect(const struct sheet_request *request, struct expected *expected)
{
    *expected = (struct expected){0};
    if (is_as_given(request->args) || sheet_join_part_format(format_of(request)) == NULL)
        return ask_estimate(request, 0, expected);
    int rc = ask_estimate(request, 1, expected);
    if (rc != 0)
        return rc;
    const cJSON *sheet = json_get(json_get(expected->json, "estimate"), "sheet");
    if (sheet == NULL)
        return 0;
    expected->rows = member_number(sheet, "rows");
    expected->rows_at_once = fmax(1, member_number(sheet, "rows_at_once"));
    const bool is_one = expected->rows <= expected->rows_at_once;
    rc = ask_estimate(request, is_one ? 0 : expected->rows_at_once, expected);
    if (rc == 0 && !is_one) {
        const double share = expected->rows / expected->rows_at_once;
        cJSON *told = cJSON_GetObjectItemCaseSensitive(expected->json, "estimate");
        expected->whole.seconds *= share;
        expected->whole.bytes *= share;
        cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(told, "seconds"), expected->whole.seconds);
        cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(told, "bytes"), round(expected->whole.bytes));
    }
    return rc;
}

static bool is_long(const struct expected *expected)
{
    return expected->rows > 1 && (expected->rows > expected->rows_at_once || expected->whole.seconds > WHOLE_S);
}

/* --- the parts --- */

/* A sheet under way. */
struct parts {
    const struct sheet_request *request;
    const struct expected *expected;
    struct sheet_join join;
    struct text query; /* for all parts, without their rows */
    double rows_done, start_s;
};

/* All parts come from the same content of the model. */
static int start_query(struct parts *parts)
{
    const struct sheet_request *request = parts->request;
    cJSON *about;
    const int rc = connection_request_json(request->connection, "model", request->model, "", NULL, &about);
    if (rc != 0)
        return rc;
    put_query(request, true, &parts->query);
    if (args_parameter(request->args, "hash") == NULL)
        text_printf(&parts->query, "&hash=%s", member_text(about, "hash"));
    text_printf(&parts->query, "&format=%s", sheet_join_part_format(parts->join.format));
    if (parts->join.format == SHEET_JPEG) {
        text_put(&parts->query, "&background=");
        opaque_background_put(&parts->query, args_parameter(request->args, "background"));
    }
    cJSON_Delete(about);
    return 0;
}

/* Returns how many rows take about PART_S, judged by the parts before. */
static double next_rows(const struct parts *parts)
{
    const double row_s = parts->rows_done > 0 ? (now_s() - parts->start_s) / parts->rows_done
                                              : parts->expected->whole.seconds / parts->expected->rows;
    const double fitting = row_s > 0 ? floor(PART_S / row_s) : parts->expected->rows_at_once;
    return fmin(fmin(fmax(1, fitting), parts->expected->rows_at_once), parts->expected->rows - parts->rows_done);
}

static int take_part(struct parts *parts, struct posed_packet *answer)
{
    const struct sheet_request *request = parts->request;
    const double rows = next_rows(parts);
    struct text query = {0}, problem = {0};
    text_printf(&query, "%s&first_row=%.0f&rows=%.0f", parts->query.at, parts->rows_done, rows);
    int status = connection_status(request->connection,
                                   connection_request_model(request->connection, name_of(request), request->model,
                                                            query.at, request->body, answer));
    if (status == STATUS_DONE && sheet_join_add(&parts->join, answer->data, answer->data_bytes, &problem) < 0) {
        terminal_error("%s: %s", request->model, problem.at);
        status = STATUS_SERVER;
    }
    parts->rows_done += rows;
    text_free(&query);
    text_free(&problem);
    return status;
}

static int take_parts(struct parts *parts, struct posed_packet *answer)
{
    const double rows = parts->expected->rows;
    struct long_progress progress;
    int status = STATUS_DONE;
    parts->start_s = now_s();
    long_progress_begin(&progress, name_of(parts->request), parts->request->model, parts->expected->whole.seconds);
    while (status == STATUS_DONE && parts->rows_done < rows) {
        status = is_interrupted() ? STATUS_INTERRUPTED : take_part(parts, answer);
        long_progress_expect(&progress, (now_s() - parts->start_s) * (rows / fmax(parts->rows_done, 1) - 1));
    }
    long_progress_end(&progress);
    return status;
}

static int request_parts(const struct sheet_request *request, const struct expected *expected, struct text *joined,
                         struct posed_packet *answer)
{
    const char *quality = args_parameter(request->args, "quality");
    const char *compression = args_parameter(request->args, "compression");
    struct parts parts = {.request = request,
                          .expected = expected,
                          .join = {.format = format_of(request),
                                   .quality = quality == NULL ? 0 : (uint32_t)strtoul(quality, NULL, 10),
                                   .is_small = compression != NULL && strcmp(compression, "small") == 0}};
    struct text problem = {0};
    int status = connection_status(request->connection, start_query(&parts));
    if (status == STATUS_DONE)
        status = take_parts(&parts, answer);
    if (status == STATUS_DONE && sheet_join_put(&parts.join, joined, &problem) < 0) {
        terminal_error("%s: %s", request->model, problem.at);
        status = STATUS_FAILED;
    }
    answer->data = (const unsigned char *)joined->at;
    answer->data_bytes = joined->size_bytes;
    sheet_join_free(&parts.join);
    text_free(&parts.query);
    text_free(&problem);
    return status;
}

/* --- */

int sheet_request(const struct sheet_request *request, struct text *joined, struct posed_packet *answer)
{
    struct expected expected;
    int rc = expect(request, &expected);
    if (rc == POSED_E_SERVER) /* the request's own answer reports its errors */
        expected = (struct expected){.json = expected.json};
    if (rc == 0 && is_long(&expected)) {
        const int status = request_parts(request, &expected, joined, answer);
        cJSON_Delete(expected.json);
        return status;
    }
    struct text query = {0};
    put_query(request, false, &query);
    if (rc == 0 || rc == POSED_E_SERVER)
        rc = long_request_expected(request->connection, name_of(request), expected.whole.seconds, name_of(request),
                                   request->model, query.at, request->body, answer);
    text_free(&query);
    cJSON_Delete(expected.json);
    return connection_status(request->connection, rc);
}

int sheet_request_estimate(const struct sheet_request *request)
{
    struct expected expected;
    int status = connection_status(request->connection, expect(request, &expected));
    if (status == STATUS_DONE && terminal.is_json)
        json_print(expected.json); /* frees it */
    else if (status == STATUS_DONE)
        estimate_print_line(&expected.whole);
    if (!(status == STATUS_DONE && terminal.is_json))
        cJSON_Delete(expected.json);
    return status;
}
