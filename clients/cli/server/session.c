/* Starts and ends private servers, and finds running ones. */
#include "clients/cli/server/session.h"

#include "clients/cli/output/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    START_MS = 30000,
    RECONNECT_S = 10,
    STOP_MS = 15000,
    LINE_MAX_BYTES = 512,
    FOLDER_MAX_BYTES = 60,
};

/* Finds POSED_PROGRAM, else posed beside posectl, else posed on the PATH. `looked`: the places it looked at, for the
 * error message. */
static void find_posed(char out[PATH_MAX + 16], struct text *looked)
{
    const char *named = getenv("POSED_PROGRAM");
    char program[PATH_MAX];
    if (named != NULL && *named != '\0') {
        text_put(looked, ", which POSED_PROGRAM names");
        snprintf(out, PATH_MAX + 16, "%s", named);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) {
        slash[1] = '\0';
        snprintf(out, PATH_MAX + 16, "%sposed", program);
        if (access(out, X_OK) == 0)
            return;
        text_printf(looked, ", neither in %s nor", program);
    }
    text_put(looked, " on the PATH; POSED_PROGRAM may say where it is");
    snprintf(out, PATH_MAX + 16, "posed");
}

/* Removes sockets without a listener, which killed servers left. A server holds the folder's lock from bind() to
 * listen() (unix_socket.c), because a socket in that state looks like a leftover. While a server starts, leftovers wait
 * for the next command. */
static void remove_leftovers(const char *folder)
{
    DIR *names = opendir(folder);
    const struct dirent *name;
    const bool is_locked = names != NULL && flock(dirfd(names), LOCK_EX | LOCK_NB) == 0;
    while (is_locked && (name = readdir(names)) != NULL) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        const size_t size = strlen(name->d_name);
        if (strncmp(name->d_name, "posectl-", 8) != 0 || size < 5 || strcmp(name->d_name + size - 5, ".sock") != 0 ||
            strlen(folder) + 1 + size >= sizeof address.sun_path)
            continue;
        snprintf(address.sun_path, sizeof address.sun_path, "%.60s/%.40s", folder, name->d_name);
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 && errno == ECONNREFUSED)
            unlink(address.sun_path);
        if (fd >= 0)
            close(fd);
    }
    if (names != NULL)
        closedir(names);
}

/* Makes a unique name in a folder that every system has. The path of a socket has at most 107 bytes. */
static void name_socket(char *out, size_t size)
{
    const char *const folders[] = {getenv("XDG_RUNTIME_DIR"), "/tmp",
                                   "/dev/shm"}; /* the last for read-only file systems */
    const char *folder = "/tmp";
    unsigned long long number = (unsigned long long)getpid();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i] != NULL && strlen(folders[i]) <= FOLDER_MAX_BYTES && access(folders[i], W_OK | X_OK) == 0) {
            folder = folders[i];
            break;
        }
    remove_leftovers(folder);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number ^= (unsigned long long)time(NULL) << 32;
    snprintf(out, size, "%s/posectl-%ld-%016llx.sock", folder, (long)getpid(), number);
}

/* Returns whether the command may ask for pictures. Each renderer starts a graphics driver, which takes longer than
 * everything else at the start. */
static bool draws(const struct args *args)
{
    static const enum command_id WITHOUT[] = {COMMAND_INFO, COMMAND_MAP,    COMMAND_PALETTE, COMMAND_POSE,
                                              COMMAND_MESH, COMMAND_BOUNDS, COMMAND_KEYS,    COMMAND_CONVERT,
                                              COMMAND_BAKE, COMMAND_CHECK,  COMMAND_TEXT,    COMMAND_WARM};
    for (size_t i = 0; i < sizeof WITHOUT / sizeof *WITHOUT; i++)
        if (args->command == (int)WITHOUT[i])
            return false;
    return args->command != COMMAND_DIFF || strcmp(args_text(args, OPTION_DIFF_FORMAT, ""), "markdown") == 0;
}

/* Returns whether the variable configures what models may open. warm applies these variables, because it works for
 * other servers. */
static bool says_what_opens(const char *variable)
{
    return strcmp(variable, "POSED_UPLOADS") == 0 || strncmp(variable, "POSED_ALLOW_HIDDEN", 18) == 0;
}

/* Runs in the child, between fork and exec. */
static void become_posed(const struct session *session, unsigned jobs, int ready_fd, int log_fd, pid_t parent)
{
    /* The user's shell may have set these for another server. */
    static const char *const OTHERS[] = {"POSED_TOKEN_FILE", "POSED_UPLOADS",      "POSED_CORS",
                                         "POSED_ALLOW_HOST", "POSED_LOG",          "POSED_ROOT",
                                         "POSED_WATCH",      "POSED_ALLOW_HIDDEN", "POSED_ALLOW_HIDDEN_MODELS"};
    static const char ALL[] = "32768g"; /* room for all models, so none is removed */
    char posed[PATH_MAX + 16], workers[16];
    struct text looked = {0};
    find_posed(posed, &looked);
    snprintf(workers, sizeof workers, "%u", jobs);
    const bool is_warming = session->cache_dir != NULL;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (!is_warming || !says_what_opens(OTHERS[i]))
            unsetenv(OTHERS[i]);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the server ends even if posectl is killed */
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0); /* Ctrl-C must reach posectl only, which then ends the server */
    umask(077);    /* no other user may use the socket */
    const int null_fd = open("/dev/null", O_RDONLY);
    if (null_fd >= 0)
        dup2(null_fd, STDIN_FILENO);
    dup2(ready_fd, STDOUT_FILENO);
    if (!terminal.is_verbose)
        dup2(log_fd, STDERR_FILENO);
    const char *arguments[32] = {"posed",
                                 "--root",
                                 session->folder,
                                 "--http",
                                 "none",
                                 "--tcp",
                                 "none",
                                 "--unix",
                                 session->address,
                                 "--import-workers",
                                 workers,
                                 "--render-workers",
                                 session->draws ? workers : "0"};
    size_t count = 13;
    if (is_warming) {
        arguments[count++] = "--cache-dir";
        arguments[count++] = session->cache_dir;
        arguments[count++] = "--cache-dir-size";
        arguments[count++] = ALL;
    }
    if (session->allows_hidden)
        arguments[count++] = "--allow-hidden";
    else if (session->names_hidden && !is_warming)
        arguments[count++] = "--allow-hidden-models";
    execvp(posed, (char *const *)(const void *)arguments);
    dprintf(log_fd, "cannot run %s%s: %s\n", posed, looked.at == NULL ? "" : looked.at, strerror(errno));
    _exit(127);
}

/* Waits for the first line of the server's stdout, which says that it is ready. */
static bool is_ready(int fd)
{
    char line[LINE_MAX_BYTES];
    size_t size = 0;
    while (size + 1 < sizeof line) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        const int ready = poll(&poll_fd, 1, START_MS);
        if (ready < 0 && errno == EINTR && !is_interrupted())
            continue;
        if (ready <= 0)
            return false;
        const ssize_t got = read(fd, line + size, sizeof line - 1 - size);
        if (got <= 0)
            return false;
        size += (size_t)got;
        line[size] = '\0';
        if (strchr(line, '\n') != NULL)
            return strncmp(line, "posed ready", 11) == 0;
    }
    return false;
}

static void show_log(int fd)
{
    char text[LINE_MAX_BYTES * 4];
    const ssize_t size = pread(fd, text, sizeof text - 1, 0);
    if (size > 0) {
        text[size] = '\0';
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
            terminal_error("  %s", line);
    }
}

void session_show_log(const struct session *session, const char *word)
{
    char path[64], line[LINE_MAX_BYTES * 4];
    snprintf(path, sizeof path, "/proc/self/fd/%d", session->log_fd); /* with a position of its own */
    FILE *log = fopen(path, "r");
    if (log == NULL)
        return;
    while (fgets(line, sizeof line, log) != NULL)
        if (strstr(line, word) != NULL)
            terminal_error("  %.*s", (int)strcspn(line, "\n"), line);
    fclose(log);
}

static int start_private(struct session *session, unsigned jobs)
{
    int ready[2];
    const pid_t parent = getpid();
    name_socket(session->address, sizeof session->address);
    session->log_fd = memfd_create("posed's log", MFD_CLOEXEC);
    if (session->log_fd < 0 || pipe2(ready, O_CLOEXEC) < 0) {
        terminal_error("cannot start a server: %s", strerror(errno));
        return -1;
    }
    session->pid = fork();
    if (session->pid == 0)
        become_posed(session, jobs, ready[1], session->log_fd, parent);
    close(ready[1]);
    const bool has_started = session->pid > 0 && is_ready(ready[0]);
    close(ready[0]);
    if (has_started)
        return 0;
    if (!is_interrupted()) {
        terminal_error("the private server did not start; its log:");
        show_log(session->log_fd);
    }
    return -1;
}

static int read_token(struct session *session, const struct args *args)
{
    const char *file_name = args_text(args, OPTION_TOKEN_FILE, NULL), *token = getenv("POSED_TOKEN");
    if (file_name == NULL) {
        snprintf(session->token, sizeof session->token, "%s", token == NULL ? "" : token);
        return 0;
    }
    FILE *file = fopen(file_name, "r");
    if (file == NULL || fgets(session->token, sizeof session->token, file) == NULL) {
        terminal_error("cannot read a token from %s: %s", file_name, file == NULL ? strerror(errno) : "it is empty");
        if (file != NULL)
            fclose(file);
        return -1;
    }
    fclose(file);
    session->token[strcspn(session->token, "\r\n")] = '\0';
    return 0;
}

const char *session_address(const struct args *args)
{
    const char *from_environment = getenv("POSED_SERVER");
    return args_text(args, OPTION_SERVER,
                     from_environment == NULL || *from_environment == '\0' ? NULL : from_environment);
}

int session_start(struct session *session, const struct args *args, const struct paths *paths, unsigned jobs)
{
    const char *address = session_address(args);
    *session = (struct session){
        .log_fd = -1, .is_private = address == NULL, .has_own_parameters = args_has(args, OPTION_PARAM)};
    session->draws = draws(args);
    session->cache_dir = args_text(args, OPTION_CACHE_DIR, NULL);
    if (address != NULL)
        session->reconnect_ms = (int)(args_number(args, OPTION_RECONNECT, RECONNECT_S) * 1000);
    if (address != NULL && strstr(address, "://") != NULL) {
        terminal_error(
            "'%s' is a URL, but posectl uses the binary protocol: give HOST:PORT (or PORT) of the server's --tcp, or "
            "the path of its --unix",
            address);
        return -1;
    }
    if (address != NULL) {
        snprintf(session->address, sizeof session->address, "%s", address);
        return read_token(session, args);
    }
    snprintf(session->folder, sizeof session->folder, "%s", paths->folder);
    session->allows_hidden = args_has(args, OPTION_ALLOW_HIDDEN);
    session->names_hidden = paths->names_hidden;
    return start_private(session, jobs);
}

void session_end(struct session *session)
{
    if (session->pid > 0) {
        kill(session->pid, SIGTERM);
        for (int waited_ms = 0; waitpid(session->pid, NULL, WNOHANG) == 0; waited_ms += 5) {
            if (waited_ms > STOP_MS)
                kill(session->pid, SIGKILL);
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
        unlink(session->address); /* if the server did not */
        close(session->log_fd);
    }
    session->pid = 0;
}
