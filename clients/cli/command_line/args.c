/* Parses the command line, and writes the given parameters as the query or body of a request. */
#include "clients/cli/command_line/args.h"

#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compares names. clip_name equals clip-name. */
static bool is_named(const char *name, const char *given, size_t given_bytes)
{
    if (strlen(name) != given_bytes)
        return false;
    for (size_t i = 0; i < given_bytes; i++)
        if (name[i] != (given[i] == '-' ? '_' : given[i]))
            return false;
    return true;
}

static const struct parameter *find_parameter(const char *name, size_t name_bytes, const struct command *command)
{
    for (size_t i = 0; command != NULL && i < PARAMETER_COUNT; i++)
        if (is_named(PARAMETERS[i].name, name, name_bytes) && parameter_is_for(&PARAMETERS[i], command))
            return &PARAMETERS[i];
    return NULL;
}

static int report_unknown_option(const char *name, size_t name_bytes, const struct command *command,
                                 struct text *problem)
{
    struct nearest nearest = NEAREST_NONE;
    struct flag flag;
    text_printf(problem, "unknown option --%.*s", (int)name_bytes, name);
    for (size_t at = 0; flags_next(command, FLAGS_OWN | FLAGS_COMMON | FLAGS_PARAMETERS, &at, &flag);)
        nearest_consider(&nearest, flag.name, name, name_bytes);
    if (nearest.name != NULL)
        text_printf(problem, "; did you mean --%s?", nearest.name);
    else
        text_printf(problem, "; see posectl %s%s--help", command == NULL ? "" : command->name,
                    command == NULL ? "" : " ");
    return -1;
}

/* The options whose value is a number, and its bounds. */
static const struct {
    enum option_id option;
    double min, max;
    bool is_whole;
} NUMBERS[] = {
    {OPTION_SIZE, 1, 65536, true},
    {OPTION_JOBS, 1, 256, true},
    {OPTION_INTERVAL, 0.02, 86400, false},
    {OPTION_MAX_JOINTS, 0, 1e9, true},
    {OPTION_MAX_INFLUENCES, 0, 1e9, true},
    {OPTION_MAX_JUMP, 0, 1e9, false},
    {OPTION_CONNECTIONS, 1, 1000, true},
    {OPTION_SECONDS, 0.01, 86400, false},
    {OPTION_RECONNECT, 0, 3600, false},
    {OPTION_DATASET_FRAMES, 1, 1000000, true},
    {OPTION_DATASET_RATE, 0.001, 1000, false},
    {OPTION_BAKE_FPS, 0.001, 1000, false},
    {OPTION_DIFF_SIZE, 16, 1024, true},
    {OPTION_POSE_WEIGHT, 0, 1, false},
};

static int check_number(int option, const char *value, struct text *problem)
{
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        char *end;
        if ((int)NUMBERS[i].option != option)
            continue;
        const double number = strtod(value, &end);
        if (end != value && *end == '\0' && number >= NUMBERS[i].min && number <= NUMBERS[i].max &&
            (!NUMBERS[i].is_whole || number == floor(number)))
            return 0;
        text_printf(problem, "--%s takes a %snumber from %.10g to %.10g, not '%s'", OPTIONS[option].name,
                    NUMBERS[i].is_whole ? "whole " : "", NUMBERS[i].min, NUMBERS[i].max, value);
        return -1;
    }
    return 0;
}

static int check_word(int option, const char *value, struct text *problem)
{
    const char *values = OPTIONS[option].value, *word;
    const size_t value_bytes = strlen(value);
    size_t size = 0;
    bool has_words = false;
    while ((word = values_next_word(&values, &size)) != NULL) {
        if (size == value_bytes && memcmp(word, value, size) == 0)
            return 0;
        has_words = true;
    }
    if (!has_words)
        return 0;
    text_printf(problem, "--%s takes one of %s, not '%s'", OPTIONS[option].name, OPTIONS[option].value, value);
    return -1;
}

static int check_param(int option, const char *value, struct text *problem)
{
    const size_t name_bytes = strspn(value, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (option != OPTION_PARAM || (name_bytes > 0 && value[name_bytes] == '='))
        return 0;
    text_printf(problem, "--param takes NAME=VALUE with a name of lower-case letters and digits, not '%s'", value);
    return -1;
}

/* Checks "2/5": part 2 of 5. */
static int check_shard(int option, const char *value, struct text *problem)
{
    unsigned number, count;
    if ((option != OPTION_SHARD) || args_read_shard(value, &number, &count))
        return 0;
    text_printf(problem, "--shard takes NUMBER/COUNT, from 1/COUNT to COUNT/COUNT, not '%s'", value);
    return -1;
}

static int take_option(struct args *out, int option, const char *value, struct text *problem)
{
    if (check_number(option, value, problem) < 0 || check_word(option, value, problem) < 0 ||
        check_param(option, value, problem) < 0 || check_shard(option, value, problem) < 0)
        return -1;
    out->values[option] = value;
    out->repeated = must_grow(out->repeated, (out->repeated_count + 1) * sizeof *out->repeated);
    out->repeated[out->repeated_count].option = option;
    out->repeated[out->repeated_count++].value = value;
    return 0;
}

static int take_parameter(struct args *out, const struct parameter *parameter, const char *value, struct text *problem)
{
    for (size_t i = 0; i < out->parameter_count; i++)
        if (strcmp(parameter->how_often, "MANY") != 0 && strcmp(out->parameters[i].name, parameter->name) == 0) {
            text_printf(problem, "--%s is given twice", parameter->name);
            return -1;
        }
    out->parameters = must_grow(out->parameters, (out->parameter_count + 1) * sizeof *out->parameters);
    out->parameters[out->parameter_count++] =
        (struct given_parameter){parameter->name, value, parameter_is_json(parameter)};
    return 0;
}

/* Takes "--shadow" or "--shadow 1": the next argument is a value only if it can be one. */
static const char *take_flag(int argc, char **argv, int *next)
{
    static const char *const WORDS[] = {"0", "1", "false", "true"};
    for (size_t i = 0; *next + 1 < argc && i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(argv[*next + 1], WORDS[i]) == 0)
            return argv[++*next];
    return "1";
}

/* Takes "--name", "--name=value" or "--name value". Advances *next past the value. */
static int take_long(struct args *out, const struct command *command, int argc, char **argv, int *next,
                     struct text *problem)
{
    const char *name = argv[*next] + 2;
    const size_t name_bytes = strcspn(name, "=");
    const char *value = name[name_bytes] == '=' ? name + name_bytes + 1 : NULL;
    const struct option *option = command_option(name, name_bytes, command);
    const struct parameter *parameter = option != NULL ? NULL : find_parameter(name, name_bytes, command);
    if (option == NULL && parameter == NULL)
        return report_unknown_option(name, name_bytes, command, problem);
    const bool is_flag = option != NULL && option->value[0] == '\0';
    if (is_flag && value != NULL) {
        text_printf(problem, "--%s takes no value", option->name);
        return -1;
    }
    if (parameter != NULL && value == NULL && parameter_is_flag(parameter))
        value = take_flag(argc, argv, next);
    if (!is_flag && value == NULL && *next + 1 < argc && strncmp(argv[*next + 1], "--", 2) != 0)
        value = argv[++*next];
    if (!is_flag && value == NULL) {
        text_printf(problem, "--%.*s needs a value", (int)name_bytes, name);
        return -1;
    }
    return option != NULL ? take_option(out, (int)(option - OPTIONS), is_flag ? "" : value, problem)
                          : take_parameter(out, parameter, value, problem);
}

/* Takes "-o VALUE", "-oVALUE" or "-q". */
static int take_letter(struct args *out, const struct command *command, int argc, char **argv, int *next,
                       struct text *problem)
{
    const char letter = argv[*next][1];
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (OPTIONS[i].letter != letter || !option_is_for(&OPTIONS[i], command))
            continue;
        const bool is_flag = OPTIONS[i].value[0] == '\0';
        const char *value = argv[*next] + 2;
        if (is_flag && *value != '\0') {
            text_printf(problem, "-%c takes no value; write it on its own, not '%s'", letter, argv[*next]);
            return -1;
        }
        if (!is_flag && *value == '\0') {
            if (*next + 1 >= argc) {
                text_printf(problem, "-%c needs a value", letter);
                return -1;
            }
            value = argv[++*next];
        }
        return take_option(out, i, value, problem);
    }
    text_printf(problem, "unknown option %s", argv[*next]);
    return -1;
}

static int find_command(struct args *out, const char *name, struct text *problem)
{
    struct nearest nearest = NEAREST_NONE;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(COMMANDS[i].name, name) == 0) {
            out->command = i;
            return 0;
        }
        nearest_consider(&nearest, COMMANDS[i].name, name, strlen(name));
    }
    text_printf(problem, "unknown command '%s'", name);
    if (nearest.name != NULL)
        text_printf(problem, "; did you mean %s?", nearest.name);
    else
        text_put(problem, "; see posectl --help");
    return -1;
}

/* Finds the command: the first argument that is not an option. Options may precede it. */
static int find_command_first(struct args *out, int argc, char **argv, int *at, struct text *problem)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            *at = i;
            if (strcmp(argv[i], "help") != 0)
                return find_command(out, argv[i], problem);
            out->has_help = true;
            return 0;
        }
        for (int k = 0; k < OPTION_COUNT; k++) { /* skip the value of an option of all commands */
            const bool is_long = strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, OPTIONS[k].name) == 0;
            const bool is_short = argv[i][1] == OPTIONS[k].letter && argv[i][2] == '\0';
            if ((is_long || is_short) && option_is_for(&OPTIONS[k], NULL) && OPTIONS[k].value[0] != '\0') {
                i++;
                break;
            }
        }
    }
    return 0;
}

int args_parse(struct args *out, int argc, char **argv, struct text *problem)
{
    bool has_no_options = false;
    int command_at = 0;
    *out = (struct args){.command = -1};
    out->positional = must_alloc((size_t)argc * sizeof *out->positional);
    if (find_command_first(out, argc, argv, &command_at, problem) < 0)
        return -1;
    const struct command *command = out->command < 0 ? NULL : &COMMANDS[out->command];
    for (int i = 1; i < argc; i++) {
        int rc = 0;
        if (i == command_at)
            continue;
        if (has_no_options || argv[i][0] != '-' || argv[i][1] == '\0')
            out->positional[out->positional_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            has_no_options = true;
        else if (argv[i][1] == '-')
            rc = take_long(out, command, argc, argv, &i, problem);
        else
            rc = take_letter(out, command, argc, argv, &i, problem);
        if (rc < 0)
            return rc;
    }
    if (out->has_help && command == NULL && out->positional_count > 0)
        return find_command(out, out->positional[0], problem);
    out->has_help |= out->values[OPTION_HELP] != NULL;
    out->has_version = out->values[OPTION_VERSION] != NULL;
    return 0;
}

void args_free(struct args *args)
{
    free(args->repeated);
    free(args->parameters);
    free(args->positional);
    for (size_t i = 0; i < args->text_count; i++)
        free(args->texts[i]);
    free(args->texts);
}

bool args_has(const struct args *args, enum option_id option) { return args->values[option] != NULL; }

const char *args_text(const struct args *args, enum option_id option, const char *fallback)
{
    return args->values[option] == NULL ? fallback : args->values[option];
}

double args_number(const struct args *args, enum option_id option, double fallback)
{
    return args->values[option] == NULL ? fallback : strtod(args->values[option], NULL);
}

bool args_read_shard(const char *value, unsigned *number, unsigned *count)
{
    enum { DIGITS_MAX = 5 };
    const size_t first = strspn(value, "0123456789");
    const size_t second = value[first] == '/' ? strspn(value + first + 1, "0123456789") : 0;
    if (first == 0 || second == 0 || first > DIGITS_MAX || second > DIGITS_MAX || value[first + 1 + second] != '\0')
        return false;
    *number = (unsigned)strtoul(value, NULL, 10);
    *count = (unsigned)strtoul(value + first + 1, NULL, 10);
    return *number >= 1 && *number <= *count;
}

const char *args_parameter(const struct args *args, const char *name)
{
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, name) == 0)
            return args->parameters[i].value;
    return NULL;
}

void args_drop_parameter(struct args *args, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, name) != 0)
            args->parameters[kept++] = args->parameters[i];
    args->parameter_count = kept;
}

void args_give_json(struct args *args, const char *name, const char *json)
{
    args->texts = must_grow(args->texts, (args->text_count + 1) * sizeof *args->texts);
    args->texts[args->text_count] = must_copy(json);
    args->parameters = must_grow(args->parameters, (args->parameter_count + 1) * sizeof *args->parameters);
    args->parameters[args->parameter_count++] = (struct given_parameter){name, args->texts[args->text_count++], true};
}

void args_put_query(const struct args *args, struct text *out)
{
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (args->parameters[i].is_json)
            continue;
        text_printf(out, "&%s=", args->parameters[i].name);
        text_put_url(out, args->parameters[i].value);
    }
    for (size_t i = 0; i < args->repeated_count; i++) {
        if (args->repeated[i].option != OPTION_PARAM)
            continue;
        const char *equals = strchr(args->repeated[i].value, '=');
        text_printf(out, "&%.*s=", (int)(equals - args->repeated[i].value), args->repeated[i].value);
        text_put_url(out, equals + 1);
    }
}

bool args_put_body(const struct args *args, struct text *out)
{
    bool has_any = false;
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (!args->parameters[i].is_json)
            continue;
        text_printf(out, "%s\"%s\":%s", has_any ? "," : "{", args->parameters[i].name, args->parameters[i].value);
        has_any = true;
    }
    if (has_any)
        text_put(out, "}");
    return has_any;
}
