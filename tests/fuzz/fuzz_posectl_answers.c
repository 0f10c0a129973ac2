/* Answers of a server to posectl. The first byte chooses a command line, and the rest are the answers, one after the
 * other. The commands run unchanged, against a server of this process that sends them. Each ends with one of posectl's
 * statuses, whatever arrives. A reply in the input is a kind, two bytes of its size and its payload. After the last one
 * the server closes its connections. */
#include "clients/c/posed.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/terminal.h"

#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 16, REQUEST_MAX = 1 << 16, HELLO_BYTES = 16, HEADER_BYTES = 32, KINDS = 8 };

static const struct {
    int (*run)(const struct args *args);
    const char *words[WORDS_MAX];
} COMMAND_LINES[] = {
    {run_info, {"info", "a.glb", "b.glb"}},
    {run_ask, {"palette", "a.glb"}},
    {run_ask, {"pose", "a.glb"}},
    {run_ask, {"mesh", "a.glb"}},
    {run_ask, {"bounds", "a.glb"}},
    {run_ask, {"keys", "a.glb"}},
    {run_convert, {"convert", "a.glb", "-o", "@/out.glb"}},
    {run_convert, {"convert", "a.glb", "--clips", "b/c.glb", "-o", "@/out.glb"}},
    {run_bake, {"bake", "a.glb", "-o", "@/out.csv"}},
    {run_bake, {"bake", "a.glb", "--values", "palette", "-o", "@/out.json"}},
    {run_bake, {"bake", "a.glb", "-o", "@/out.png"}},
    {run_bake, {"bake", "a.glb", "-o", "@/out.c"}},
    {run_ask, {"render", "a.glb", "-o", "@/out.png"}},
    {run_ask, {"sheet", "a.glb", "--clips", "all", "-o", "@/out.png"}},
    {run_ask, {"sheet", "a.glb", "--estimate"}},
    {run_ask, {"turntable", "a.glb", "-o", "@/out.gif"}},
    {run_thumbs, {"thumbs", "x/", "-o", "@/thumbs", "--clips", "all", "--index", "-j", "1"}},
    {run_check, {"check", "a.glb", "b.glb", "-j", "1"}},
    {run_check, {"check", "x/", "--format", "junit", "-j", "1"}},
    {run_check, {"check", "a.glb", "--format", "sarif", "-j", "1"}},
    {run_diff, {"diff", "a.glb", "b.glb", "-j", "1"}},
    {run_diff, {"diff", "a.glb", "b.glb", "--format", "markdown", "-o", "@/page.md", "-j", "1"}},
    {run_diff, {"diff", "x/", "y/", "--format", "junit", "-j", "1"}},
    {run_diff, {"diff", "a.glb", "b.glb", "--format", "json", "-j", "1"}},
    {run_text, {"text", "a.glb"}},
    {run_bench, {"bench", "a.glb", "--seconds", "0.01", "-c", "1"}},
    {run_server_command, {"query", "/dev/null"}},
    {run_server_command, {"models"}},
    {run_server_command, {"formats"}},
    {run_server_command, {"version"}},
    {run_bake, {"bake", "x/", "-o", "@/tables", "-j", "1"}},
    {run_bake, {"bake", "x/", "--onto", "a.glb", "--retarget", "rest", "-o", "@/tables", "-j", "1"}},
};

/* What the server sends, under the mutex. */
static struct {
    pthread_mutex_t mutex;
    const uint8_t *data;
    size_t size, at;
} answers = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static char folder[] = "/tmp/fuzz-posectl-XXXXXX";
static char address[sizeof folder + 8];

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value & 0xffff);
    put16(at + 2, value >> 16);
}

/* Sends a packet of the server (protocol/tcp.md). Returns false if the client has gone. */
static bool send_packet(int fd, unsigned kind, const unsigned char id[4], const uint8_t *payload, size_t size)
{
    const size_t bytes = HEADER_BYTES + (size + 15) / 16 * 16;
    unsigned char *packet = calloc(1, bytes);
    if (packet == NULL)
        abort();
    put32(packet, (uint32_t)size);
    put16(packet + 4, kind);
    memcpy(packet + 8, id, 4);
    put16(packet + 20, kind == POSED_ERROR ? 60000 : 0);
    memcpy(packet + HEADER_BYTES, payload, size);
    if (kind == POSED_ERROR && size >= 12)
        memset(packet + HEADER_BYTES + 8, 0, 4); /* no pause before a retry */
    const bool is_sent = send(fd, packet, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
    free(packet);
    return is_sent;
}

static bool answer(int fd, const unsigned char id[4])
{
    static const unsigned char OF[KINDS] = {POSED_JSON, POSED_JSON,  POSED_FRAMES, POSED_PNG,
                                            POSED_GLB,  POSED_OTHER, POSED_ERROR,  POSED_OPENED};
    pthread_mutex_lock(&answers.mutex);
    const uint8_t *at = answers.data + answers.at;
    const size_t left = answers.size - answers.at;
    bool is_sent = false;
    if (left >= 3) {
        const size_t wanted = at[1] | (size_t)at[2] << 8, size = wanted < left - 3 ? wanted : left - 3;
        answers.at += 3 + size;
        is_sent = send_packet(fd, OF[at[0] % KINDS], id, at + 3, size);
    }
    pthread_mutex_unlock(&answers.mutex);
    return is_sent;
}

/* Reads exactly `size` bytes. */
static bool take(int fd, unsigned char *out, size_t size) { return recv(fd, out, size, MSG_WAITALL) == (ssize_t)size; }

static void *serve(void *context)
{
    const int fd = (int)(intptr_t)context;
    unsigned char header[HEADER_BYTES], hello[64] = {1}, request[REQUEST_MAX];
    static const unsigned char NO_ID[4];
    put32(hello + 4, REQUEST_MAX);
    put32(hello + 8, 8);
    put32(hello + 12, 4);
    put32(hello + 16, 1 << 24);
    put32(hello + 24, 4096);
    put32(hello + 28, 4096);
    bool is_open = take(fd, header, HELLO_BYTES) && send_packet(fd, POSED_HELLO, NO_ID, hello, sizeof hello);
    while (is_open && take(fd, header, HEADER_BYTES)) {
        const size_t size = header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16;
        const size_t padded = (size + 15) / 16 * 16;
        is_open = padded <= sizeof request && take(fd, request, padded) && answer(fd, header + 8);
    }
    close(fd);
    return NULL;
}

static void *accept_all(void *context)
{
    const int listener = (int)(intptr_t)context;
    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) != 0)
            abort();
        pthread_detach(thread);
    }
    return NULL;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    return walk->level == 0 ? 0 : remove(path);
}

/* Removes the files of a command before the next one. */
static void clear_folder(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void leave(void)
{
    unlink(address);
    clear_folder();
    rmdir(folder);
}

static int listen_there(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", address);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&name, sizeof name) < 0 || listen(listener, 8) < 0)
        abort();
    return listener;
}

static void begin(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(address, sizeof address, "%s.sock", folder);
    atexit(leave);
    pthread_t thread;
    if (pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listen_there()) != 0)
        abort();
    FILE *nowhere = fopen("/dev/null", "w"); /* reports of sanitizers use the descriptor */
    if (nowhere == NULL || freopen("/dev/null", "w", stdout) == NULL)
        abort();
    stderr = nowhere;
}

/* Returns a word of a command line; "@/out.png" is in the folder. The current folder is the fuzzer's. */
static char *place(const char *word)
{
    struct text out = {0};
    text_put(&out, word[0] == '@' ? folder : "");
    text_put(&out, word + (word[0] == '@'));
    return out.at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_begun;
    char *words[WORDS_MAX + 8];
    int count = 0;
    if (size == 0)
        return 0;
    if (!has_begun)
        begin();
    has_begun = true;
    const size_t chosen = data[0] % (sizeof COMMAND_LINES / sizeof *COMMAND_LINES);
    static const char *const SERVER_OPTIONS[] = {"--reconnect", "0", "--server", address};
    words[count++] = must_copy("posectl");
    for (size_t i = 0; COMMAND_LINES[chosen].words[i] != NULL; i++)
        words[count++] = place(COMMAND_LINES[chosen].words[i]);
    for (size_t i = 0; i < sizeof SERVER_OPTIONS / sizeof *SERVER_OPTIONS; i++)
        words[count++] = must_copy(SERVER_OPTIONS[i]);
    pthread_mutex_lock(&answers.mutex);
    answers.data = data + 1;
    answers.size = size - 1;
    answers.at = 0;
    pthread_mutex_unlock(&answers.mutex);
    struct args args;
    struct text problem = {0};
    if (args_parse(&args, count, words, &problem) != 0)
        abort();
    const int status = COMMAND_LINES[chosen].run(&args);
    if (status < STATUS_DONE || status > STATUS_SERVER)
        abort();
    pthread_mutex_lock(&answers.mutex); /* threads of connections that are about to end stop reading it */
    answers.size = answers.at = 0;
    pthread_mutex_unlock(&answers.mutex);
    args_free(&args);
    text_free(&problem);
    for (int i = 0; i < count; i++)
        free(words[i]);
    clear_folder();
    return 0;
}
