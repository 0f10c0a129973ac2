/* identity.c - hashes the build ids of the program and its libraries. */
#include "import/source/import.h"

#include <elf.h>
#include <link.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reads the notes of one segment. Returns true if the build id was among them. */
static bool hash_build_id(struct sha256_ctx *sha, const char *notes, size_t size_bytes)
{
    while (size_bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        const size_t name_bytes = (note.n_namesz + 3u) & ~3u, id_bytes = (note.n_descsz + 3u) & ~3u;
        const size_t whole = sizeof note + name_bytes + id_bytes;
        if (whole > size_bytes)
            return false;
        const char *name = notes + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            sha256_update(sha, note.n_descsz, (const uint8_t *)name + name_bytes);
            return true;
        }
        notes += whole;
        size_bytes -= whole;
    }
    return false;
}

static void hash_file(struct sha256_ctx *sha, const char *path)
{
    struct stat stat_now = {0};
    stat(path[0] != '\0' ? path : "/proc/self/exe", &stat_now);
    char text[64];
    snprintf(text, sizeof text, " %lld %lld.%09ld", (long long)stat_now.st_size, (long long)stat_now.st_mtim.tv_sec,
             stat_now.st_mtim.tv_nsec);
    sha256_update(sha, strlen(path), (const uint8_t *)path);
    sha256_update(sha, strlen(text), (const uint8_t *)text);
}

/* The input of a hash. */
struct identity {
    struct sha256_ctx sha;
    bool has_programs; /* posed-import and posed-assimp.so */
};

/* The program itself has no name. */
static bool is_program(const char *name)
{
    static const char LIBRARY[] = "/posed-assimp.so";
    const size_t length = strlen(name), end = sizeof LIBRARY - 1;
    return length == 0 || (length >= end && strcmp(name + length - end, LIBRARY) == 0);
}

static int hash_object(struct dl_phdr_info *object, size_t size_bytes __attribute__((unused)), void *context)
{
    struct identity *identity = context;
    struct sha256_ctx *sha = &identity->sha;
    if (strncmp(object->dlpi_name, "linux-", strlen("linux-")) == 0)
        return 0; /* the kernel's vdso, which takes no part in an import */
    if (!identity->has_programs && is_program(object->dlpi_name))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && hash_build_id(sha, at, segment->p_memsz))
            return 0;
    }
    hash_file(sha, object->dlpi_name);
    return 0;
}

static void make(bool has_programs, char out[IDENTITY_SIZE])
{
    struct identity identity = {.has_programs = has_programs};
    uint8_t hash[SHA256_DIGEST_SIZE];
    sha256_init(&identity.sha);
    dl_iterate_phdr(hash_object, &identity);
    sha256_digest(&identity.sha, sizeof hash, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

void identity_make(char out[IDENTITY_SIZE]) { make(true, out); }
void identity_make_of_libraries(char out[IDENTITY_SIZE]) { make(false, out); }
