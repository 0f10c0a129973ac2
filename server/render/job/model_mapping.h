/* model_mapping.h - a baked model mapped from the memfd that came with a job, checked. The worker's only thread. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

struct model_mapping {
    struct model model; /* a view of the mapping */
    void *mapping;      /* NULL: none */
    uint64_t mapping_bytes;
};

/* `fd` is borrowed. Returns 0, ERR_INTERNAL (fewer bytes than that), ERR_NO_MEMORY, or as bake_decode(); close it in
 * any case. */
int model_mapping_open(struct model_mapping *mapped, int fd, uint64_t size_bytes, struct err *err);
void model_mapping_close(struct model_mapping *mapped);

/* The last few files of clips, by key: they are small beside what is drawn, and one is used again and again. */
enum { CLIP_FILES_MAX = 32 };
struct clip_files {
    struct clip_file {
        uint64_t key; /* of `mapped`, where that has a mapping */
        struct model_mapping mapped;
        uint64_t used; /* when last */
    } files[CLIP_FILES_MAX];
    uint64_t uses;
    uint64_t begun;       /* `uses` when the job began: what was used since stays */
    uint64_t limit_bytes; /* of all together; those of one job alone may have more */
};

/* A job begins: the files that it gets, at most CLIP_FILES_MAX, stay until the next. */
void clip_files_begin(struct clip_files *files);
/* The file of this key, mapped from `fd` when it is not here yet. */
int clip_files_get(struct clip_files *files, uint64_t key, int fd, uint64_t size_bytes, const struct model **out,
                   struct err *err);
void clip_files_fini(struct clip_files *files);
