/* wire_model.h - a small model for tests of answers: rotated, unevenly scaled, off the origin, with every kind of name.
 * Also parses JSON answers. */
#pragma once

#include "anim/model/model.h"
#include "wire/operations/reply_make.h"

#include <cjson/cJSON.h>

/* Nodes: 0 root; 1 'bone "A"\n' in 0; 2 'Bone' in 1; 3 'Bone' with mesh 0 and skin 0, in 0; 4 unnamed, sheared
 * matrix, mesh 1, in 5; 5 '' in 0. Skin 0 'arm': joints 2, 1; skin 1: rigid, of node 4.
 * Clips: 0 'wave' (0..2 s), 1 and 2 'twin' (0..1 s; 2 moves node 4), 3 unnamed (0..1 s; its values overflow a float).
 * Mesh 0 'body': 3 vertices, one morph target; mesh 1 unnamed: 2 primitives of 3 vertices. */
const struct model *wire_model(void);

/* A model with nothing but its header. */
const struct model *wire_model_empty(void);

/* Encodes, decodes into *model and ends the builder. The block is never freed: *model is static. */
struct bake_builder;
const struct model *wire_model_finish(struct bake_builder *builder, struct model *model);

/* Makes a request of `op` for these times, with all other defaults. */
struct request wire_request(enum op op, const double *times_s, uint32_t time_count);

struct selector wire_index(uint32_t index);
struct selector wire_name(const char *name);

/* Makes an answer with default limits in an initialised *reply. */
void wire_answer(const struct model *model, const struct request *request, struct reply *reply);

/* Makes an answer, fails the test unless the status is 200, and parses the body. The caller calls cJSON_Delete() on it.
 */
cJSON *wire_answer_json(const struct model *model, const struct request *request);
/* The same for an error answer: returns its "error" object, with status and code checked. The caller calls
 * cJSON_Delete(*root). */
cJSON *wire_answer_error(const struct model *model, const struct request *request, int code, cJSON **root);

/* Returns json[key]. Fails the test if it is missing. */
cJSON *wire_get(const cJSON *json, const char *key);
cJSON *wire_at(const cJSON *json, int index);
/* Fails the test unless `json` is a list of exactly these floats. */
void wire_check_floats(const cJSON *json, const float *expected, int count);
/* The same for numbers computed in float, within a tolerance. */
void wire_check_near(const cJSON *json, const float *expected, int count, double tolerance);
