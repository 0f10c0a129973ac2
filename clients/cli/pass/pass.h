/* pass.h - a pass over many models, whose outputs go into a folder: posectl thumbs, watch, convert and bake. A pass
 * lists the models, makes what is outdated, reports, and records the result in the manifest. The threads of a pool make
 * the outputs; the main thread does the rest. */
#pragma once

#include "clients/cli/output/terminal.h"
#include "clients/cli/pass/failures.h"
#include "clients/cli/pass/manifest.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/model_list.h"
#include "clients/cli/server/pool.h"

struct pass;

/* What a command makes of each model. */
struct pass_kind {
    const char *manifest; /* its file in OUT/.posectl */
    const char *outputs;  /* the member of an entry and of the report for what was written: "pictures" */
    const char *done;     /* the report's word for a model of which outputs were made: "drawn" */
    bool has_many;   /* a model may have several outputs, which the report counts. Else listed_model.out names it */
    bool has_folder; /* the outputs of a model lie in a folder of their own, which goes with the last of them */
    /* Lists the models. NULL: as model_list_read() does. Returns 0, or an exit status after printing the error. */
    int (*list)(struct pass *pass);
    /* Makes the outputs of a model in a thread of the pool, and writes them by pass_write(). `model`: the server's
     * answer. Returns 0, an enum posed_status with the message in the connection, or PASS_FAILED with *problem. The
     * entry may then have the error's "code". If the run was interrupted meanwhile, PASS_FAILED records no failure, and
     * an entry with PASS_PARTIAL is kept for the next run, whose `make` finds it in the manifest. */
    int (*make)(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                struct text *problem);
    /* The list that the kind writes beside the outputs: its name in the report as JSON, and its file; or NULL. */
    const char *list_name, *list_file;
    /* Adds more to the report as JSON; or NULL. */
    void (*add_json)(const struct pass *pass, cJSON *json);
};

enum { PASS_FAILED = -100 };
/* The member of an entry of which a run was interrupted: outputs are missing. */
#define PASS_PARTIAL "partial"

struct pass {
    const struct pass_kind *kind;
    void *context; /* of the kind */
    const struct args *args;
    struct command_context connected;
    const char *out;    /* the output folder */
    char *options;      /* everything but the model that outputs depend on, to compare with the manifest's */
    const char *server; /* its version */
    struct manifest manifest;
    struct failures failures;
    /* of a pass */
    struct model_list models;
    const bool *is_due; /* which models to make; NULL: all */
    cJSON **entries;    /* [model]: the new entry, or NULL */
    struct progress progress;
};

/* pass.c: the next five return 0, or an exit status after printing the error. The caller calls pass_close() in any
 * case. Checks the options that all kinds have. out: the output folder of the command line, or NULL. */
int pass_check(struct pass *pass, const struct args *args, const struct pass_kind *kind, const char *out);
/* Resolves the paths and connects. `args` has the positional arguments. */
int pass_connect(struct pass *pass, const struct args *args);
/* Reports a parameter that the server refuses once, as an error of the command line, and not for each model. */
int pass_check_parameters(struct pass *pass, const char *operation, const char *parameters, const char *body);
/* Opens the manifest. `options` must be set. */
int pass_open(struct pass *pass);
/* Runs a pass over all models, and reports the whole. */
int pass_run(struct pass *pass);
/* Lists the models, as the kind does it. */
int pass_list(struct pass *pass);
/* The middle of a pass: makes the listed models that are due. */
int pass_make(struct pass *pass, const bool *is_due);
/* Ends a pass that has `status` so far: removes old entries and merges the new ones into the manifest. Returns the
 * status of the pass. */
int pass_finish(struct pass *pass, int status);
void pass_close(struct pass *pass);

/* pass_model.c: a pool_work that makes one model; `context` is the struct pass. */
pool_work pass_make_model;
/* Writes an output of a model, and adds it to the entry. file: its name in the output folder. Returns the output, to
 * which the caller may add more, or NULL with *problem. */
cJSON *pass_write(struct pass *pass, cJSON *entry, const char *file, const void *bytes, size_t size_bytes,
                  struct text *problem);
/* The same for an output that the caller adds to an entry and frees. Thread-safe. */
cJSON *pass_write_file(struct pass *pass, const char *file, const void *bytes, size_t size_bytes, struct text *problem);
/* Returns whether an interrupted run began this entry: the model, the options, the server and its importer are equal.
 * old: of the manifest, or NULL. */
bool pass_is_begun(const cJSON *old, const cJSON *entry);

/* pass_files.c: puts the stamp of a file under the session's folder, "760320:mtime:ctime", into `out`. "-": the file
 * does not exist. "?": it changed so shortly before `before_s` (CLOCK_REALTIME) that a further change might get the
 * same stamp. */
void pass_file_stamp(const struct pass *pass, const char *path, double before_s, char out[96]);
/* Returns whether a path of the manifest or of a server's list stays within the folder that it is appended to. */
bool pass_is_safe(const char *path);
/* Returns whether the entry belongs to this source, and its files have not changed. */
bool pass_is_fresh(const struct pass *pass, const cJSON *entry, const char *source);
/* Returns whether all outputs of the entry exist in full length. An entry without outputs must not need any. */
bool pass_has_outputs(const struct pass *pass, const cJSON *entry);
/* Removes the outputs of `old` that `entry` (may be NULL) does not have. */
void pass_remove_outdated(const struct pass *pass, const cJSON *old, const cJSON *entry);
/* Returns whether the options select nothing of the model. Such a model has no output. */
bool pass_is_unmatched(const cJSON *entry);
/* Returns whether all models that were looked at have clips, and none that --clips matches. */
bool pass_matches_no_clip(const struct pass *pass);
/* Returns why the file is no model (skipped_model.h), or "". */
const char *pass_why_skipped(const cJSON *entry);

/* pass_report.c: makes the report of a pass and --report, before the entries go into the manifest. Returns 0, or an
 * exit status after printing why it cannot be written. */
int pass_report(const struct pass *pass);
/* Checks --report and --format. Returns 0, or STATUS_USAGE after printing the error. */
int pass_check_report(const struct args *args);
/* Returns the entry that this pass made of a model, or that of an earlier pass, or NULL. */
const cJSON *pass_entry(const struct pass *pass, size_t index);
/* Returns whether the model failed in an earlier run and was not tried again. */
bool pass_is_remembered(const struct pass *pass, size_t index);
/* Prints "drawn crow.fbx" or "failed crow.fbx CODE: MESSAGE". error: NULL for none. */
void pass_report_line(const char *what, enum colour shade, const char *model, const cJSON *error);
void pass_warn_unmatched(const struct pass *pass, const char *model);
/* pass_reasons.c: prints the failures, a line for each reason, and the warnings, a line for each code. -v prints every
 * one, what was approximated and what was dropped (protocol/glb.md). */
void pass_report_failures(const struct pass *pass);
void pass_report_warnings(const struct pass *pass);
/* pass_junit.c: puts the same report as JUnit XML, with a test case for each model. */
void pass_report_junit(const struct pass *pass, double elapsed_s, struct text *out);
