/* args.h - the command line: the tables of commands, options and the server's parameters, and what was given. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>
#include <stddef.h>

enum command_id {
#define COMMAND(symbol, name, arguments, operation, summary, text) COMMAND_##symbol,
#include "clients/cli/command_line/options.def"
    COMMAND_COUNT
};
enum option_id {
#define OPTION(symbol, commands, name, letter, value, initial, text) OPTION_##symbol,
#include "clients/cli/command_line/options.def"
    OPTION_COUNT
};

struct command {
    const char *name, *arguments, *operation, *summary, *text;
};
struct option {
    const char *commands, *name;
    char letter;
    const char *value, *initial, *text;
};
/* A parameter of the server: option --clip-name of the operations it is for. */
struct parameter {
    const char *name, *operations, *how_often, *values, *text;
};
/* A row that only help and man page show. The last row of a table has no name. */
struct described {
    const char *name, *text;
};
extern const struct described VARIABLES[], EXIT_STATUSES[];
extern const struct command COMMANDS[COMMAND_COUNT];
extern const struct option OPTIONS[OPTION_COUNT];
extern const struct parameter PARAMETERS[];
extern const size_t PARAMETER_COUNT;

/* The command's option of that name, or NULL. command NULL: an option of all commands. */
const struct option *command_option(const char *name, size_t name_bytes, const struct command *command);
bool option_is_for(const struct option *option, const struct command *command);
/* Whether users may give the parameter with this command: `model` is the argument, and posectl itself sets `hash`. */
bool parameter_is_for(const struct parameter *parameter, const struct command *command);
/* A parameter that only a body can have (layers): its value is JSON. */
bool parameter_is_json(const struct parameter *parameter);
/* One that is 0 or 1, and 1 where it is given without a value. */
bool parameter_is_flag(const struct parameter *parameter);
/* The next literal word of values such as "front|back|CAMERA"; NULL after the last one. Advances *values. */
const char *values_next_word(const char **values, size_t *size_bytes);

/* An option or a parameter, as help, man page and completions show it. */
struct flag {
    const char *name; /* as in the tables: flag_put_name() */
    char letter;      /* 0: none */
    const char *value, *text, *initial;
    bool is_value_optional, is_repeatable;
};
enum { FLAGS_OWN = 1, FLAGS_COMMON = 2, FLAGS_PARAMETERS = 4 };

/* The command's next flag of these groups, in the order own options, common ones, parameters; false after the last one.
 * *at is 0 for the first. command NULL: common options are all there is. */
bool flags_next(const struct command *command, int groups, size_t *at, struct flag *flag);
/* "--clip-name" */
void flag_put_name(struct text *out, const char *name);

struct given_parameter {
    const char *name, *value; /* of the parameter, as the server calls it */
    bool is_json;
};

enum { ARGS_BONE_MAPS = 2 };

struct args {
    int command; /* enum command_id; -1: none */
    bool has_help, has_version;
    const char *values[OPTION_COUNT]; /* the last one given; NULL: not given. "" for flags */
    struct {
        int option;
        const char *value;
    } * repeated; /* every option, in order, for those that may repeat */
    size_t repeated_count;
    struct given_parameter *parameters;
    size_t parameter_count;
    const char **positional;
    size_t positional_count;
    char *bone_maps[ARGS_BONE_MAPS]; /* likewise of files of --map and --clip-map */
    char *joint_map;                 /* the rules of --joint-map and --rename-joints as JSON, or NULL */
};

/* Fills *out, whose strings point into argv. Returns 0, or -1 with a message in *problem; args_free() in any case. */
int args_parse(struct args *out, int argc, char **argv, struct text *problem);
void args_free(struct args *args);

bool args_has(const struct args *args, enum option_id option);
/* The value, or `fallback`. */
const char *args_text(const struct args *args, enum option_id option, const char *fallback);
/* The value as a number, else `fallback`. args_parse() has checked it. */
double args_number(const struct args *args, enum option_id option, double fallback);

/* Reads "2/5", the value of --shard; false: it is none. */
bool args_read_shard(const char *value, unsigned *number, unsigned *count);

/* The value of a parameter; NULL: it was not given. */
const char *args_parameter(const struct args *args, const char *name);
/* Appends the given parameters as the rest of a query, "&clip=..&t=..", except those that are JSON. */
void args_put_query(const struct args *args, struct text *out);
/* Appends the parameters that are JSON as the body of a POST, "{"layers":..}"; false: there are none. */
bool args_put_body(const struct args *args, struct text *out);
