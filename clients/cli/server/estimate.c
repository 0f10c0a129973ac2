#include "clients/cli/server/estimate.h"

#include "clients/cli/output/bar.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/long_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool estimate_is_wanted(const struct args *args, struct text *query)
{
    static const char GIVEN[] = "&estimate=1";
    const char *value = args_parameter(args, "estimate");
    char *at = query->at == NULL ? NULL : strstr(query->at, GIVEN);
    if (value == NULL || strcmp(value, "1") != 0 || at == NULL)
        return false;
    memmove(at, at + sizeof GIVEN - 1, strlen(at + sizeof GIVEN - 1) + 1);
    query->size_bytes -= sizeof GIVEN - 1;
    return true;
}

/* Prints "about 12 s, 3.4 MB". */
void estimate_print_line(const struct long_request_estimate *estimate)
{
    enum { KB = 1000, MB = 1000000 };
    struct text line = {0};
    text_put(&line, "about ");
    if (estimate->seconds < 1)
        text_printf(&line, "%.0f ms", ceil(estimate->seconds * 1000));
    else
        bar_put_duration(&line, estimate->seconds);
    if (estimate->bytes >= MB)
        text_printf(&line, ", %.1f MB", estimate->bytes / MB);
    else if (estimate->bytes >= 0)
        text_printf(&line, ", %.1f kB", estimate->bytes / KB);
    printf("%s\n", line.at);
    text_free(&line);
}

int estimate_print(struct connection *connection, const char *what, const char *operation, const char *model,
                   const char *query)
{
    struct posed_packet answer;
    struct long_request_estimate estimate;
    const int status = connection_status(
        connection, long_request_ask(connection, what, operation, model, query, NULL, &estimate, &answer));
    if (status != STATUS_DONE)
        return status;
    if (terminal.is_json)
        return output_give_json((const char *)answer.data, answer.data_bytes);
    estimate_print_line(&estimate);
    return STATUS_DONE;
}

void estimate_print_json(const struct long_request_estimate *estimate)
{
    cJSON *json = cJSON_CreateObject(), *told = cJSON_AddObjectToObject(json, "estimate");
    cJSON_AddNumberToObject(told, "seconds", estimate->seconds);
    if (estimate->bytes < 0)
        cJSON_AddNullToObject(told, "bytes");
    else
        cJSON_AddNumberToObject(told, "bytes", round(estimate->bytes));
    json_print(json);
}
