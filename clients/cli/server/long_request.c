#include "clients/cli/server/long_request.h"

#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/long_progress.h"

#include <math.h>

int long_request_expected(struct connection *connection, const char *what, double expected_s, const char *operation,
                          const char *model, const char *query, const char *body, struct posed_packet *answer)
{
    struct long_progress progress;
    long_progress_begin(&progress, what, model, expected_s);
    const int rc = connection_request_model(connection, operation, model, query, body, answer);
    long_progress_end(&progress);
    return rc;
}

/* *imports: number of models that the server reads first. */
static int ask(struct connection *connection, const char *operation, const char *model, const char *query,
               const char *body, struct long_request_estimate *estimate, double *imports, struct posed_packet *answer)
{
    struct text with = {0};
    text_printf(&with, "%s&estimate=1", query);
    cJSON *json = NULL;
    int rc = connection_request_model(connection, operation, model, with.at, body, answer);
    text_free(&with);
    if (rc == 0)
        rc = connection_read_json(connection, answer, &json);
    if (rc != 0)
        return rc;
    const cJSON *told = json_get(json, "estimate");
    const double bytes = member_number(told, "bytes");
    *estimate = (struct long_request_estimate){member_number(told, "seconds"), isnan(bytes) ? -1 : bytes};
    *imports = member_number(told, "imports");
    cJSON_Delete(json);
    return 0;
}

int long_request_ask(struct connection *connection, const char *what, const char *operation, const char *model,
                     const char *query, const char *body, struct long_request_estimate *estimate,
                     struct posed_packet *answer)
{
    double imports = 0;
    int rc = ask(connection, operation, model, query, body, estimate, &imports, answer);
    if (rc != 0 || !(imports > 0))
        return rc;
    struct text reading = {0};
    text_printf(&reading, "%s: reading", what == NULL ? "" : what);
    rc = long_request_expected(connection, what == NULL ? NULL : reading.at, estimate->seconds, "model", model, "",
                               NULL, answer);
    text_free(&reading);
    return rc != 0 ? rc : ask(connection, operation, model, query, body, estimate, &imports, answer);
}

int long_request(struct connection *connection, const char *what, const char *operation, const char *model,
                 const char *query, const char *body, struct posed_packet *answer)
{
    struct long_request_estimate estimate = {0};
    int rc = 0;
    if (!terminal.is_quiet && body == NULL)
        rc = long_request_ask(connection, what, operation, model, query, NULL, &estimate, answer);
    if (rc == POSED_E_SERVER) /* the request's own answer reports its errors */
        estimate.seconds = 0;
    else if (rc != 0)
        return rc;
    return long_request_expected(connection, what, estimate.seconds, operation, model, query, body, answer);
}
