/* upload_internal.h - the structs that uploads.c (all uploads) and upload.c (the course of one) share. Private to them.
 */
#pragma once

#include "base/buf.h"
#include "daemon/threads/work.h"
#include "daemon/upload/upload.h"
#include "daemon/upload/upload_store.h"
#include "daemon/upload/upload_unpack.h"

#include <limits.h>

struct uploads {
    uv_loop_t *loop;
    const struct config *config;
    struct import_pool *imports;
    struct upload_store store;
    struct upload *all;
    uint32_t count, delete_count;
    bool is_off; /* everybody could change models: none are taken */
    bool is_ending;
};

enum upload_state {
    UPLOAD_RECEIVING, /* bytes come and are written */
    UPLOAD_OPENING,   /* of a zip: an importer unpacks it */
    UPLOAD_UNPACKING, /* of a zip: its files are written to a folder in the stage */
    UPLOAD_IMPORTING, /* the importer looks at the staged model */
    UPLOAD_PUBLISHING,
    UPLOAD_OVER, /* ended or abandoned; the stage is being removed */
};

struct upload {
    struct uploads *uploads;
    struct http_sink sink;
    enum upload_state stage;
    char *name;       /* under the store, as the client said it */
    const char *base; /* its last part */
    char *target;     /* the path under the store that is published: the name, of a zip without ".zip" */
    const char *item; /* its last part, and what it is called in the stage */
    bool is_zip;
    int archive_fd;                     /* of a zip, -1 while there is none */
    char model_path[ARCHIVE_PATH_SIZE]; /* of a zip: the model's in its folder */
    char published_path[PATH_MAX];      /* of what an importer looks at, once it is in place, under the root */
    struct file_access access;          /* the importer's, to what lies in the stage */
    struct imported_model *imported;    /* what it made of the model, or NULL */
    struct buf waiting;                 /* bytes for the next piece of work */
    struct buf writing;                 /* those of the work under way */
    bool is_working, is_whole, is_full, is_new, is_current;
    struct upload_stage files; /* of the work thread while is_working */
    int fd;                    /* of the work thread while is_working; -1 before the first piece of work */
    struct err err;            /* what went wrong first; code 0 before */
    struct work work;
    void (*run)(struct upload *upload); /* the work under way */
    struct import_job import;
    void (*has_room)(void *user);
    void *room_user;
    upload_done *done;
    void *user;
    struct upload *prev, *next;
};

/* Frees it and counts it out. */
void upload_free(struct upload *upload);
/* An http_sink's take() for upload->sink. */
int upload_take(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err);
