/* The C client as a filter, for tests: probe ADDRESS [TOKEN] reads one call per line and prints its result.
 *
 *   open PATH | find WHAT NAME | index WHAT N | info | close | ping | call TARGET [BODY] | watch 0|1 | next MS
 *   palette|pose|mesh|render KEY=VALUE... | frames palette|pose|mesh KEY=VALUE...
 *   send palette|pose|mesh KEY=VALUE... (its answer by next) | reconnects
 *   subscribe KEY=VALUE... | control KEY=VALUE... | credit N | unsubscribe
 *
 * Answers: the packet's kind, generation and payload in hexadecimal; structs as words; "error CODE MESSAGE",
 * or "failed STATUS MESSAGE". The model is the one opened last, the stream the one subscribed last. */
#include "clients/c/posed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 24, SEND_BYTES = 1 << 20, LINE_BYTES = 1 << 16, LIST_MAX = 4096 };

struct probe {
    struct posed server;
    struct posed_model model;
    uint32_t stream;
    unsigned events;
    /* KEY=VALUE fills these */
    struct posed_query query;
    struct posed_picture picture;
    struct posed_subscription subscription;
    struct posed_steering steering;
    double times[LIST_MAX];
    uint32_t indices[LIST_MAX];
};

static void on_event(void *context, const struct posed_packet *packet)
{
    struct probe *probe = context;
    (void)packet;
    probe->events++;
}

static void put_hex(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t i;
    putchar(' ');
    for (i = 0; i < size; i++)
        printf("%02x", at[i]);
}

static void put_packet(const struct posed_packet *packet)
{
    printf("%d %u", packet->kind, packet->generation);
    put_hex(packet->data, packet->data_bytes);
    if (packet->notes_bytes > 0)
        put_hex(packet->notes, packet->notes_bytes);
    putchar('\n');
}

static void put_status(struct probe *probe, int rc)
{
    const struct posed_error *error = &probe->server.error;
    if (rc >= 0)
        printf("done\n");
    else if (rc == POSED_E_SERVER)
        printf("error %u %s\n", error->code, error->message);
    else
        printf("failed %d %s\n", rc, error->message);
}

static void put_answer(struct probe *probe, int rc, const struct posed_packet *answer)
{
    if (rc < 0)
        put_status(probe, rc);
    else
        put_packet(answer);
}

static unsigned char hex_byte(const char *at)
{
    char pair[3];
    pair[0] = at[0];
    pair[1] = at[1];
    pair[2] = '\0';
    return (unsigned char)strtoul(pair, NULL, 16);
}

static void take_times(struct probe *probe, const char *text)
{
    probe->query.times = probe->times;
    for (probe->query.time_count = 0; *text != '\0'; text += strcspn(text, ",") + (strchr(text, ',') != NULL))
        probe->times[probe->query.time_count++] = strtod(text, NULL);
}

static void take_indices(struct probe *probe, const char *text)
{
    probe->query.indices = probe->indices;
    for (probe->query.index_count = 0; *text != '\0'; text += strcspn(text, ",") + (strchr(text, ',') != NULL))
        probe->indices[probe->query.index_count++] = (uint32_t)strtoul(text, NULL, 10);
}

static void take_background(struct probe *probe, const char *text)
{
    size_t i;
    for (i = 0; i < 4 && strlen(text) == 8; i++)
        probe->picture.background[i] = hex_byte(text + 2 * i);
}

/* Stores a number in a field of size_bytes. */
static void put_number(void *field, size_t size_bytes, int is_double, double number)
{
    const uint8_t byte = (uint8_t)(int)number;
    const uint16_t two = (uint16_t)(int)number;
    const uint32_t four = (uint32_t)(int)number;
    const void *from = is_double         ? (const void *)&number
                       : size_bytes == 1 ? (const void *)&byte
                       : size_bytes == 2 ? (const void *)&two
                                         : (const void *)&four;
    memcpy(field, from, size_bytes);
}

/* Returns 0 if the key is unknown. */
static void take_more(struct probe *probe, const char *text) { probe->subscription.more = text; }

static int take_pair(struct probe *probe, const char *key, const char *value)
{
#define INTEGER(name, of, field)                                                                                       \
    {                                                                                                                  \
        name, &probe->of.field, sizeof probe->of.field, 0, NULL                                                        \
    }
#define DOUBLE(name, of, field)                                                                                        \
    {                                                                                                                  \
        name, &probe->of.field, sizeof(double), 1, NULL                                                                \
    }
    const struct {
        const char *name;
        void *field;
        size_t size_bytes;
        int is_double;
        void (*take)(struct probe *probe, const char *text); /* instead */
    } keys[] = {
        {"t", NULL, 0, 0, take_times},
        {"indices", NULL, 0, 0, take_indices},
        {"background", NULL, 0, 0, take_background},
        {"more", NULL, 0, 0, take_more},
        DOUBLE("from", query, from_s),
        DOUBLE("to", query, to_s),
        DOUBLE("speed", query, speed),
        DOUBLE("phase", query, phase),
        DOUBLE("yaw", picture, yaw_deg),
        DOUBLE("pitch", picture, pitch_deg),
        DOUBLE("stream_rate", subscription, rate),
        DOUBLE("position", subscription, position_s),
        DOUBLE("stream_speed", subscription, speed),
        DOUBLE("seek", steering, position_s),
        DOUBLE("new_speed", steering, speed),
        DOUBLE("new_rate", steering, rate),
        INTEGER("clip", query, clip),
        INTEGER("wrap", query, wrap),
        INTEGER("layout", query, layout),
        INTEGER("space", query, space),
        INTEGER("what", query, what),
        INTEGER("flags", query, flags),
        INTEGER("mesh", query, mesh),
        INTEGER("root", query, root),
        INTEGER("width", picture, width),
        INTEGER("height", picture, height),
        INTEGER("kind", subscription, kind),
        INTEGER("paused", subscription, is_paused),
        INTEGER("credit", subscription, credit),
        INTEGER("steer", steering, flags),
        INTEGER("wanted", model, wanted),
    };
    size_t k = 0;
    while (k < sizeof keys / sizeof *keys && strcmp(keys[k].name, key) != 0)
        k++;
    if (k == sizeof keys / sizeof *keys)
        return 0;
    if (keys[k].take != NULL)
        keys[k].take(probe, value);
    else
        put_number(keys[k].field, keys[k].size_bytes, keys[k].is_double, strtod(value, NULL));
    return 1;
}

/* Takes "KEY=VALUE KEY=VALUE". Returns 0 if one is unknown. */
static int take_pairs(struct probe *probe, char *text)
{
    char *pair;
    posed_query_init(&probe->query);
    memset(&probe->picture, 0, sizeof probe->picture);
    memset(&probe->subscription, 0, sizeof probe->subscription);
    memset(&probe->steering, 0, sizeof probe->steering);
    for (pair = strtok(text, " "); pair != NULL; pair = strtok(NULL, " ")) {
        char *equals = strchr(pair, '=');
        if (equals == NULL)
            return 0;
        *equals = '\0';
        if (!take_pair(probe, pair, equals + 1))
            return 0;
    }
    return 1;
}

static int what_of(const char *word)
{
    return strcmp(word, "clip") == 0   ? POSED_WHAT_CLIP
           : strcmp(word, "skin") == 0 ? POSED_WHAT_SKIN
           : strcmp(word, "node") == 0 ? POSED_WHAT_NODE
                                       : POSED_WHAT_MESH;
}

static void run_find(struct probe *probe, char *rest, int is_by_index)
{
    struct posed_found found;
    char *name = strchr(rest, ' ');
    uint32_t i;
    int rc;
    *name++ = '\0';
    rc = is_by_index
             ? posed_find_index(&probe->server, &probe->model, what_of(rest), (uint32_t)strtoul(name, NULL, 10), &found)
             : posed_find(&probe->server, &probe->model, what_of(rest), name, &found);
    if (rc < 0) {
        put_status(probe, rc);
        return;
    }
    printf("found %u %u %u %d %.17g %.17g %.*s", found.what, found.flags, found.index, found.node, found.duration_s,
           found.start_s, (int)found.name_bytes, found.name);
    for (i = 0; i < found.joint_count; i++)
        printf(" %u", found.joints[i]);
    putchar('\n');
}

static void run_query(struct probe *probe, const char *word, char *rest)
{
    struct posed_packet answer;
    const int kind = strcmp(word, "palette") == 0 ? POSED_PALETTE : strcmp(word, "pose") == 0 ? POSED_POSE : POSED_MESH;
    int rc;
    if (!take_pairs(probe, rest)) {
        printf("failed 0 what is that?\n");
        return;
    }
    rc = strcmp(word, "render") == 0
             ? posed_render(&probe->server, &probe->model, &probe->query, &probe->picture, &answer)
             : posed_ask(&probe->server, kind, &probe->model, &probe->query, &answer);
    put_answer(probe, rc, &answer);
}

/* The same with the call that each kind has. */
/* Does not wait for the answer. */
static void run_send(struct probe *probe, char *rest)
{
    static unsigned char packet[SEND_BYTES];
    char *pairs = strchr(rest, ' ');
    const int kind = strncmp(rest, "palette", 7) == 0 ? POSED_PALETTE
                     : strncmp(rest, "pose", 4) == 0  ? POSED_POSE
                                                      : POSED_MESH;
    size_t bytes;
    if (pairs == NULL || !take_pairs(probe, pairs)) {
        printf("failed 0 what is that?\n");
        return;
    }
    bytes = posed_write_query(packet, sizeof packet, kind, posed_new_id(&probe->server), &probe->model, &probe->query);
    put_status(probe, posed_send(&probe->server, packet, bytes));
}

static void run_frames(struct probe *probe, char *rest)
{
    struct posed_frames frames;
    char *pairs = strchr(rest, ' ');
    int (*ask)(struct posed *, struct posed_model *, const struct posed_query *, struct posed_frames *) =
        strncmp(rest, "palette", 7) == 0 ? posed_palette
        : strncmp(rest, "pose", 4) == 0  ? posed_pose
                                         : posed_mesh;
    int rc;
    if (pairs == NULL || !take_pairs(probe, pairs)) {
        printf("failed 0 what is that?\n");
        return;
    }
    rc = ask(&probe->server, &probe->model, &probe->query, &frames);
    if (rc < 0) {
        put_status(probe, rc);
        return;
    }
    printf("frames %u %u", frames.kind, frames.frame_count);
    put_hex(frames.data, frames.data_bytes);
    putchar('\n');
}

static void run_next(struct probe *probe, const char *rest)
{
    struct posed_packet packet;
    const int rc = posed_next(&probe->server, (int)strtol(rest, NULL, 10), &packet);
    if (rc == 1)
        put_packet(&packet);
    else if (rc == 0)
        printf("nothing\n");
    else
        put_status(probe, rc);
}

static void run_open(struct probe *probe, const char *path)
{
    struct posed_model model;
    const int rc = posed_open(&probe->server, path, &model);
    if (rc < 0) {
        put_status(probe, rc);
        return;
    }
    probe->model = model;
    printf("opened %u %u %u %u %u %u", model.handle, model.generation, model.node_count, model.skin_count,
           model.clip_count, model.mesh_count);
    put_hex(model.content_hash, 32);
    putchar('\n');
}

static void run_call(struct probe *probe, char *target)
{
    struct posed_packet answer;
    char *body = strchr(target, ' ');
    int rc;
    if (body != NULL)
        *body++ = '\0';
    rc = posed_call(&probe->server, NULL, target, body, body == NULL ? 0 : strlen(body), &answer);
    put_answer(probe, rc, &answer);
}

static void run_line(struct probe *probe, char *line)
{
    struct posed *server = &probe->server;
    struct posed_packet answer;
    char *rest = strchr(line, ' ');
    static char nothing[1];
    if (rest != NULL)
        *rest++ = '\0';
    else
        rest = nothing;
    if (strcmp(line, "open") == 0)
        run_open(probe, rest);
    else if (strcmp(line, "find") == 0 || strcmp(line, "index") == 0)
        run_find(probe, rest, line[0] == 'i');
    else if (strcmp(line, "info") == 0)
        put_answer(probe, posed_info(server, &probe->model, &answer), &answer);
    else if (strcmp(line, "close") == 0)
        put_status(probe, posed_close(server, &probe->model));
    else if (strcmp(line, "ping") == 0)
        put_status(probe, posed_ping(server));
    else if (strcmp(line, "call") == 0)
        run_call(probe, rest);
    else if (strcmp(line, "frames") == 0)
        run_frames(probe, rest);
    else if (strcmp(line, "send") == 0)
        run_send(probe, rest);
    else if (strcmp(line, "reconnects") == 0)
        printf("%lu\n", (unsigned long)server->reconnects);
    else if (strcmp(line, "watch") == 0)
        put_status(probe, posed_watch(server, &probe->model, rest[0] == '1'));
    else if (strcmp(line, "next") == 0)
        run_next(probe, rest);
    else if (strcmp(line, "subscribe") == 0)
        put_status(probe, !take_pairs(probe, rest) ? POSED_E_ARGUMENT
                                                   : posed_subscribe(server, &probe->model, &probe->query,
                                                                     &probe->subscription, &probe->stream));
    else if (strcmp(line, "control") == 0)
        put_status(probe, !take_pairs(probe, rest) ? POSED_E_ARGUMENT
                                                   : posed_control(server, probe->stream, &probe->steering));
    else if (strcmp(line, "credit") == 0)
        put_status(probe, posed_credit(server, probe->stream, (uint32_t)strtoul(rest, NULL, 10)));
    else if (strcmp(line, "unsubscribe") == 0)
        put_status(probe, posed_unsubscribe(server, probe->stream));
    else if (strcmp(line, "hello") == 0)
        printf("hello %u %u %s\n", server->hello.version, server->hello.frames_max, server->hello.server);
    else
        run_query(probe, line, rest);
}

int main(int argc, char **argv)
{
    static struct probe probe;
    static unsigned char memory[MEMORY_BYTES], send_memory[SEND_BYTES];
    static char line[LINE_BYTES];
    struct posed_options options;
    memset(&options, 0, sizeof options);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    options.send_memory = send_memory;
    options.send_bytes = sizeof send_memory;
    options.token = argc > 2 ? argv[2] : NULL;
    options.on_event = on_event;
    options.event_context = &probe;
    options.reconnect_tries = getenv("PROBE_TRIES") == NULL ? 0 : (int)strtol(getenv("PROBE_TRIES"), NULL, 10);
    options.reconnect_ms = getenv("PROBE_MS") == NULL ? 0 : (int)strtol(getenv("PROBE_MS"), NULL, 10);
    if (argc < 2)
        return 2;
    if (posed_connect(&probe.server, argv[1], &options) < 0) {
        put_status(&probe, probe.server.error.status);
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        run_line(&probe, line);
        fflush(stdout);
    }
    posed_disconnect(&probe.server);
    return 0;
}
