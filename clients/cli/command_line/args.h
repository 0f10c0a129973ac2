/* args.h - the command line: tables of commands, options and the server's parameters, and the parsed arguments. */
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
/* A parameter of the server. It is the option --clip-name of the commands that have its operation. */
struct parameter {
    const char *name, *operations, *how_often, *values, *text;
};
/* A row for the help and the man page only. The last row of a table has no name. */
struct described {
    const char *name, *text;
};
extern const struct described VARIABLES[], EXIT_STATUSES[];
extern const struct command COMMANDS[COMMAND_COUNT];
extern const struct option OPTIONS[OPTION_COUNT];
extern const struct parameter PARAMETERS[];
extern const size_t PARAMETER_COUNT;

/* Returns the command's option of that name, or NULL. command NULL: looks at the options of all commands. */
const struct option *command_option(const char *name, size_t name_bytes, const struct command *command);
bool option_is_for(const struct option *option, const struct command *command);
/* Returns whether users may give the parameter with this command. The argument is `model`, and posectl itself sets
 * `hash`. */
bool parameter_is_for(const struct parameter *parameter, const struct command *command);
/* Returns whether only a body can have the parameter (layers). Its value is JSON. */
bool parameter_is_json(const struct parameter *parameter);
/* Returns whether the parameter is 0 or 1. Without a value it is 1. */
bool parameter_is_flag(const struct parameter *parameter);
/* Returns the next literal word of values such as "front|back|CAMERA", or NULL after the last one. Advances *values. */
const char *values_next_word(const char **values, size_t *size_bytes);

/* An option or a parameter, as the help, the man page and completions show it. */
struct flag {
    const char *name; /* as in the tables; flag_put_name() prints it */
    char letter;      /* 0: none */
    const char *value, *text, *initial;
    bool is_value_optional, is_repeatable;
};
enum { FLAGS_OWN = 1, FLAGS_COMMON = 2, FLAGS_PARAMETERS = 4 };

/* Finds the command's next flag of these groups: its own options, then common ones, then parameters. Returns false
 * after the last one. *at starts at 0. command NULL: there are only common options. */
bool flags_next(const struct command *command, int groups, size_t *at, struct flag *flag);
/* Puts "--clip-name". */
void flag_put_name(struct text *out, const char *name);

struct given_parameter {
    const char *name, *value; /* the server's name of the parameter */
    bool is_json;
};

struct args {
    int command; /* enum command_id, or -1 */
    bool has_help, has_version;
    const char *values[OPTION_COUNT]; /* the last value given; NULL: not given. "" for flags */
    struct {
        int option;
        const char *value;
    } * repeated; /* all options that may be repeated, in the order given */
    size_t repeated_count;
    struct given_parameter *parameters;
    size_t parameter_count;
    const char **positional;
    size_t positional_count;
    char **texts; /* [text_count]: values of parameters that are made here of files, as --joint-map's */
    size_t text_count;
};

/* Parses the arguments. The strings of *out point into argv. Returns 0, or -1 with a message in *problem. The caller
 * calls args_free() in any case. */
int args_parse(struct args *out, int argc, char **argv, struct text *problem);
void args_free(struct args *args);

bool args_has(const struct args *args, enum option_id option);
/* Returns the value, or `fallback` if the option was not given. */
const char *args_text(const struct args *args, enum option_id option, const char *fallback);
/* Returns the value as a number, or `fallback`. args_parse() has checked it. */
double args_number(const struct args *args, enum option_id option, double fallback);

/* Reads the value of --shard, such as "2/5". Returns false if it has another form. */
bool args_read_shard(const char *value, unsigned *number, unsigned *count);

/* Returns the value of a parameter, or NULL if it was not given. */
const char *args_parameter(const struct args *args, const char *name);
/* Removes the parameter of this name, if it was given. */
void args_drop_parameter(struct args *args, const char *name);
/* Adds a parameter of the body, a copy of this JSON. */
void args_give_json(struct args *args, const char *name, const char *json);
/* Appends the given parameters as the rest of a query, "&clip=..&t=..", except those that are JSON. */
void args_put_query(const struct args *args, struct text *out);
/* Appends the parameters that are JSON as the body of a POST, "{"layers":..}". Returns false if there are none. */
bool args_put_body(const struct args *args, struct text *out);
