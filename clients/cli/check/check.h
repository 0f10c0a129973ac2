/* check.h - the rules of posectl check, their findings, and the parts that find and report them. A check_model() runs
 * in one thread of a pool, everything else in the main thread. */
#pragma once

#include "clients/cli/server/model_list.h"

enum severity { SEVERITY_OFF, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

enum rule_id {
#define RULE(symbol, name, severity, text) RULE_##symbol,
#include "clients/cli/check/rules.def"
    RULE_COUNT
};

struct rule {
    const char *name, *severity, *text;
};
extern const struct rule RULES[RULE_COUNT];

struct finding {
    enum rule_id rule;
    enum severity severity;
    char *message;
};

/* What was found in one model. */
struct findings {
    struct finding *at;
    size_t count;
    bool is_unreadable;
    bool is_done; /* false: the run was interrupted before */
};

struct check {
    const struct args *args;
    enum severity severities[RULE_COUNT];
    struct model_list models;
    struct findings *findings; /* of each model */
    double seconds;
};

/* findings.c */
const char *severity_name(enum severity severity); /* "error" */
/* By name; -1 for none. */
int severity_find(const char *name);

/* Adds a finding, unless its rule is off. */
void findings_add(const struct check *check, struct findings *findings, enum rule_id rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* check_model.c: applies the rules to one model. */
void check_model(const struct check *check, struct connection *connection, const char *source,
                 struct findings *findings);

/* check_loop.c: the rule loop-jump for one clip. `model`, `clip`: the server's JSON. */
void check_loop(const struct check *check, struct connection *connection, const cJSON *model, const cJSON *clip,
                struct findings *findings);

/* check_report.c, check_documents.c: the report in one of its formats. */
void check_report_text(const struct check *check, struct text *out);
void check_report_json(const struct check *check, struct text *out);
void check_report_junit(const struct check *check, struct text *out);
void check_report_sarif(const struct check *check, struct text *out);
