/* dataset.h - the parts of posectl dataset: a pass (pass.h) that draws each model at moments of its clips, by cameras
 * and lights, as pictures and arrays of numbers.
 *
 * A sample is one moment by one camera in one light. Its number counts clips, then times, then cameras, then lights,
 * and names its files: OUT/birds/crow.fbx/000012.png, 000012.npz and 000012.json, its keypoints. */
#pragma once

#include "clients/cli/pass/pass.h"

#include <stdbool.h>
#include <stddef.h>

/* A camera, or a light: what it adds to a request. */
struct dataset_choice {
    char *query; /* "&camera=front&yaw=45&pitch=15"; "" for none */
    char *body;  /* the whole body of the request; NULL: none */
    char *name;  /* of a light: "studio", or the path of an environment; NULL: the parameters decide */
};

/* The moments of --t, --frames or --rate. {0}: one, which the server picks. */
struct dataset_times {
    double *times_s; /* [count], of --t */
    double *steps_s; /* [count]: until the next moment; NaN: there is none */
    size_t count;
    double frames, rate; /* 0: not given */
};

/* A moment of a model. */
struct dataset_moment {
    const cJSON *clip; /* of /v1/model; NULL: at rest, or the parameters select it */
    bool is_rest, has_time;
    double time_s;
    double step_s; /* until the next moment; NaN: there is none */
};

struct dataset {
    struct pass pass;
    char *picture_query, *array_query, *keypoint_query; /* the rest of the requests of a sample; NULL: not asked for */
    bool has_motion;                                    /* the passes need the next moment, which no --t2 gives */
    bool is_one_clip;                                   /* parameters select what moves, and not --clips */
    bool shows_empty;                                   /* --allow-empty */
    struct dataset_times times;
    struct dataset_choice *cameras, *lights;
    size_t camera_count, light_count;
};

/* dataset_choices.c: reads --orbit, --cameras and --lights. `body`: what all requests have, or NULL. Returns 0, or
 * STATUS_USAGE after printing the error. */
int dataset_choices_read(struct dataset *set, const struct args *args, const char *body);
void dataset_choices_free(struct dataset *set);

/* dataset_queries.c: sets the queries of `set`, and what --passes and --allow-empty say. */
void dataset_set_queries(struct dataset *set, const struct args *args);
/* Returns how many files a sample has. */
int dataset_file_count(const struct dataset *set);

/* dataset_times.c: reads --t, --frames and --rate. Returns 0, or STATUS_USAGE after printing the error. */
int dataset_times_read(struct dataset_times *times, const struct args *args);
/* Finds the moments of a model in *moments, which the caller frees. `model`: the server's answer. Returns their number;
 * 0: no clip matches --clips. SIZE_MAX: too many, with *problem. */
size_t dataset_moments(const struct dataset *set, const cJSON *model, struct dataset_moment **moments,
                       struct text *problem);

/* dataset_sample.c: draws a sample and writes its files. Puts them into *outputs, a list of pass_write_file(), of which
 * the first has what the manifest and cameras.json tell of the sample. Returns 0, an enum posed_status with the message
 * in the connection, or PASS_FAILED with *problem. Thread-safe. */
int dataset_sample(struct dataset *set, struct connection *connection, const struct listed_model *item,
                   const char *hash, const struct dataset_moment *moment, size_t index, cJSON **outputs,
                   struct text *problem);
/* Puts the name of a file of a sample, "birds/crow.fbx/000012.png". */
void dataset_put_name(struct text *out, const struct listed_model *item, size_t index, const char *extension);

/* dataset_model.c: a pass_kind.make; pass->context is the struct dataset. */
int dataset_make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                 struct text *problem);

/* dataset_manifest.c: writes cameras.json of a model from its outputs, and takes the numbers of the cameras out of
 * them. Returns 0, or PASS_FAILED with *problem. */
int dataset_write_cameras(struct pass *pass, const struct listed_model *item, cJSON *entry, struct text *problem);
/* Writes OUT/manifest.jsonl of all samples in the output folder, also of earlier runs. Returns 0, or an exit status
 * after printing the error. */
int dataset_write_manifest(const struct pass *pass);
#define DATASET_MANIFEST "manifest.jsonl"

/* sha256_text.c: appends the SHA-256 of the bytes as 64 hexadecimal digits. */
void sha256_put(struct text *out, const void *bytes, size_t size_bytes);
