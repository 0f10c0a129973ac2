/* assimp_extras.c - reads extras of nodes, materials and clips, and markers of clips, from assimp's node metadata. */
#include "import/assimp/assimp.h"
#include "import/text/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- metadata of nodes --- */

/* What assimp itself adds, for exporters and for its own links. */
static bool is_bookkeeping(const struct aiString *key)
{
    static const char *const KEYS[] = {"AnimationIndex"};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (strcmp(key->data, KEYS[i]) == 0)
            return true;
    return false;
}

static void put_vector(struct buf *out, const struct aiVector3D *v)
{
    const float values[3] = {v->x, v->y, v->z};
    for (int i = 0; i < 3; i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        json_write_float(out, values[i]);
    }
    buf_put_char(out, ']');
}

enum { METADATA_DEPTH_MAX = 16 };

static void put_metadata(struct buf *out, const struct aiMetadata *metadata, int depth);

static void put_entry(struct buf *out, const struct aiMetadataEntry *entry, int depth)
{
    const void *data = entry->mData;
    const struct aiString *text = data;
    uint64_t number;
    switch (data == NULL ? AI_META_MAX : entry->mType) {
    case AI_BOOL:
        buf_put_text(out, *(const unsigned char *)data != 0 ? "true" : "false");
        break;
    case AI_INT32:
        json_write_int(out, *(const int32_t *)data);
        break;
    case AI_UINT64:
        memcpy(&number, data, sizeof number);
        buf_printf(out, "%" PRIu64, number);
        break;
    case AI_FLOAT:
        json_write_float(out, *(const float *)data);
        break;
    case AI_DOUBLE:
        json_write_double(out, *(const double *)data);
        break;
    case AI_AISTRING:
        json_write_string(out, text->data, text->length);
        break;
    case AI_AIVECTOR3D:
        put_vector(out, data);
        break;
    case AI_AIMETADATA:
        put_metadata(out, data, depth + 1);
        break;
    default:
        buf_put_text(out, "null");
        break;
    }
}

/* Writes nothing at depth 0 if all metadata is assimp's own. */
static void put_metadata(struct buf *out, const struct aiMetadata *metadata, int depth)
{
    const char *before = "{";
    for (unsigned i = 0; depth < METADATA_DEPTH_MAX && i < metadata->mNumProperties; i++) {
        const struct aiString *key = &metadata->mKeys[i];
        if (is_bookkeeping(key))
            continue;
        buf_put_text(out, before);
        json_write_string(out, key->data, key->length);
        buf_put_char(out, ':');
        put_entry(out, &metadata->mValues[i], depth);
        before = ",";
    }
    if (*before == ',')
        buf_put_char(out, '}');
    else if (depth > 0)
        buf_put_text(out, "{}");
}

static int add_metadata(struct assimp_job *job, struct err *err)
{
    struct buf buf;
    int rc = 0;
    buf_init(&buf, 0);
    for (uint32_t n = 0; n < job->tree.count && rc == 0; n++) {
        const struct aiNode *node = job->tree.nodes[n].node;
        char where[64];
        snprintf(where, sizeof where, "the metadata of node %u", n);
        buf_clear(&buf);
        if (node->mMetaData != NULL)
            put_metadata(&buf, node->mMetaData, 0);
        if (buf.size_bytes > 0)
            rc = import_add_extra(job->import, EXTRA_NODE, n, buf.data, buf.size_bytes, where, err);
    }
    buf_fini(&buf);
    return rc;
}

/* --- Half-Life MDL: children of <MDL_sequence_infos> are sequences; their child nodes hold events --- */

static const struct aiNode *child_named(const struct aiNode *node, const char *name)
{
    for (unsigned i = 0; node != NULL && i < node->mNumChildren; i++)
        if (strcmp(node->mChildren[i]->mName.data, name) == 0)
            return node->mChildren[i];
    return NULL;
}

/* Adds one event to each clip of the sequence's blends. */
static int add_event(struct assimp_job *job, const struct aiNode *event, uint32_t first, uint32_t count,
                     double frames_per_s, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const int32_t *frame = assimp_metadata(event->mMetaData, "Frame", AI_INT32);
    const int32_t *number = assimp_metadata(event->mMetaData, "ScriptEvent", AI_INT32);
    const struct aiString *options = assimp_metadata(event->mMetaData, "Options", AI_AISTRING);
    if (frame == NULL || number == NULL)
        return 0;
    char name[16];
    snprintf(name, sizeof name, "%" PRId32, *number);
    struct marker marker = {.name = bake_textz(builder, name), .time_s = *frame / frames_per_s};
    marker.value = options == NULL ? bake_textz(builder, NULL) : assimp_text(builder, options);
    for (marker.clip = first; marker.clip - first < count && marker.clip < builder->clip_count; marker.clip++)
        if (import_add_marker(job->import, &marker, err) < 0)
            return err->code;
    return 0;
}

static int add_events(struct assimp_job *job, struct err *err)
{
    const struct aiNode *sequences = child_named(job->scene->mRootNode, "<MDL_sequence_infos>");
    for (unsigned i = 0; sequences != NULL && i < sequences->mNumChildren; i++) {
        const struct aiNode *sequence = sequences->mChildren[i], *events = child_named(sequence, "AnimationEvents");
        const struct aiMetadata *data = sequence->mMetaData;
        const float *rate = assimp_metadata(data, "FramesPerSecond", AI_FLOAT);
        const int32_t *first = assimp_metadata(data, "AnimationIndex", AI_INT32);
        const int32_t *count = assimp_metadata(data, "NumBlends", AI_INT32);
        if (events == NULL || rate == NULL || first == NULL || count == NULL || *first < 0 || *count < 0)
            continue;
        for (unsigned e = 0; e < events->mNumChildren; e++)
            if (add_event(job, events->mChildren[e], (uint32_t)*first, (uint32_t)*count, (double)*rate, err) < 0)
                return err->code;
    }
    return 0;
}

int assimp_extras(struct assimp_job *job, struct err *err)
{
    const int rc = add_metadata(job, err);
    return rc == 0 && assimp_is_format(job, "mdl") ? add_events(job, err) : rc;
}
