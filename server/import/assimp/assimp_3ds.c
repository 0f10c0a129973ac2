/* assimp_3ds.c - 3D Studio files whose keyframer does not place all meshes (3D Studio File Format, J. van Velsen and
 * others).
 *
 * A .3ds places its meshes twice. The editor section stores their points in scene space. The keyframer has a tree of
 * nodes, whose tracks move each mesh there from the origin in the mesh's matrix. Meshes end up elsewhere if nodes lack
 * these tracks or have others, if a mesh has no node, or if a node precedes its parent. If nothing is animated, the
 * editor's positions are right. */
#include "import/assimp/assimp.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAIN = 0x4d4d,
    EDITOR = 0x3d3d,
    OBJECT = 0x4000,
    MESH = 0x4100,
    MESH_MATRIX = 0x4160,
    KEYFRAMER = 0xb000,
    NODE = 0xb002,
    NODE_HEADER = 0xb010,
    NODE_PIVOT = 0xb013,
    NODE_NUMBER = 0xb030,
    TRACK_PLACE = 0xb020,
    TRACK_ROTATION = 0xb021,
    TRACK_SCALE = 0xb022,
    HEADER_BYTES = 6,
    TRACK_COUNT_AT = 10,
    ITEMS_MAX = 4096, /* limit of meshes and of nodes; larger files stay unchanged */
    NO_PARENT = 0xffff,
};

/* The largest difference of equal positions, relative to their magnitude: files have seven digits. */
static const double SAME_PLACE = 1e-3;

/* A chunk's content. */
struct chunk {
    uint16_t id;
    const uint8_t *begin, *end;
};

struct keyframer {
    struct editor_mesh {
        const char *name;
        struct dmat4 scene_from_mesh;
    } meshes[ITEMS_MAX];
    struct key_node {
        const char *name;
        uint16_t number;
        struct dmat4 scene_from_node; /* as the first keys have it */
        double pivot[3];
    } nodes[ITEMS_MAX];
    uint32_t mesh_count, node_count;
    bool is_moved, is_false, is_full;
};

/* --- reading --- */

/* Reads the chunk at `at`; false if none ends within `end`. */
static bool chunk_at(const uint8_t *at, const uint8_t *end, struct chunk *out)
{
    if (end - at < HEADER_BYTES)
        return false;
    const uint32_t size = get_u32(at + 2);
    *out = (struct chunk){get_u16(at), at + HEADER_BYTES, (size_t)(end - at) < size ? end : at + size};
    return size >= HEADER_BYTES;
}

/* State of the examined file. It is static because it is too large for the stack, and the process reads one model. */
static struct keyframer looked_at;

static const char *name_at(const uint8_t *at, const uint8_t *end, const uint8_t **behind)
{
    const uint8_t *stop = memchr(at, '\0', (size_t)(end - at));
    *behind = stop == NULL ? end : stop + 1;
    return stop == NULL ? NULL : (const char *)at;
}

static void read_floats(const uint8_t *at, double *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = (double)get_f32(at + 4 * i);
}

/* Three axes and the origin, three numbers each. */
static struct dmat4 read_matrix(const struct chunk *mesh)
{
    struct dmat4 out = DMAT4_IDENTITY;
    struct chunk part;
    for (const uint8_t *at = mesh->begin; chunk_at(at, mesh->end, &part); at = part.end)
        for (int axis = 0; part.id == MESH_MATRIX && part.end - part.begin >= 48 && axis < 4; axis++)
            read_floats(part.begin + 12 * axis, out.m + 4 * axis, 3);
    return out;
}

/* Reads the first key's numbers. They follow a frame (u32) and flags (u16); each of the low five flags adds one spline
 * number. Returns false if the track has no key. */
static bool read_key(const struct chunk *track, double *out, int count)
{
    const uint8_t *at = track->begin + TRACK_COUNT_AT + 4;
    if (get_u32(at - 4) == 0 || track->end - at < 6)
        return false;
    at += 6 + 4 * __builtin_popcount(get_u16(at + 4) & 0x1fu);
    if (track->end - at < 4 * count)
        return false;
    read_floats(at, out, count);
    return true;
}

/* An angle and an axis; the angle turns clockwise. */
static void set_rotation(const double key[4], double out[4])
{
    double axis[3] = {key[1], key[2], key[3]};
    if (!(unit3(axis) > 0))
        return;
    const double half = -key[0] / 2;
    for (int i = 0; i < 3; i++)
        out[i] = axis[i] * sin(half);
    out[3] = cos(half);
}

static void read_object(struct keyframer *keys, const struct chunk *object)
{
    const uint8_t *at;
    const char *name = name_at(object->begin, object->end, &at);
    struct chunk part;
    for (; name != NULL && chunk_at(at, object->end, &part); at = part.end) {
        if (part.id != MESH)
            continue;
        keys->is_full |= keys->mesh_count == ITEMS_MAX;
        if (keys->mesh_count < ITEMS_MAX)
            keys->meshes[keys->mesh_count++] = (struct editor_mesh){name, read_matrix(&part)};
    }
}

static const struct key_node *find_number(const struct keyframer *keys, uint16_t number)
{
    for (uint32_t i = 0; i < keys->node_count; i++)
        if (keys->nodes[i].number == number)
            return &keys->nodes[i];
    return NULL;
}

/* Reads a node from its chunks. */
struct node_parts {
    struct key_node node;
    struct trs local;
    uint16_t parent;
    bool has_place;
};

static void read_part(struct keyframer *keys, const struct chunk *part, struct node_parts *to)
{
    const ptrdiff_t size = part->end - part->begin;
    const uint8_t *behind = part->end;
    double rotation[4];
    const bool is_track = part->id >= TRACK_PLACE && part->id <= TRACK_SCALE && size >= TRACK_COUNT_AT + 4;
    keys->is_moved |= is_track && get_u32(part->begin + TRACK_COUNT_AT) > 1;
    if (part->id == NODE_NUMBER && size >= 2)
        to->node.number = get_u16(part->begin);
    if (part->id == NODE_PIVOT && size >= 12)
        read_floats(part->begin, to->node.pivot, 3);
    if (part->id == NODE_HEADER)
        to->node.name = name_at(part->begin, part->end, &behind);
    if (part->id == NODE_HEADER && part->end - behind >= 6)
        to->parent = get_u16(behind + 4);
    if (is_track && part->id == TRACK_PLACE)
        to->has_place = read_key(part, to->local.translation, 3);
    if (is_track && part->id == TRACK_ROTATION && read_key(part, rotation, 4))
        set_rotation(rotation, to->local.rotation);
    if (is_track && part->id == TRACK_SCALE)
        read_key(part, to->local.scale, 3);
}

static void read_node(struct keyframer *keys, const struct chunk *node)
{
    struct node_parts parts = {.node = {.number = (uint16_t)keys->node_count},
                               .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
                               .parent = NO_PARENT};
    struct chunk part;
    for (const uint8_t *at = node->begin; chunk_at(at, node->end, &part); at = part.end)
        read_part(keys, &part, &parts);
    const struct key_node *parent = parts.parent == NO_PARENT ? NULL : find_number(keys, parts.parent);
    parts.node.scene_from_node = dmat4_from_trs(&parts.local);
    if (parent != NULL)
        parts.node.scene_from_node = dmat4_mul(&parent->scene_from_node, &parts.node.scene_from_node);
    keys->is_full |= keys->node_count == ITEMS_MAX;
    keys->is_false |= !parts.has_place || (parts.parent != NO_PARENT && parent == NULL);
    if (keys->node_count < ITEMS_MAX && parts.node.name != NULL)
        keys->nodes[keys->node_count++] = parts.node;
}

static void read_items(struct keyframer *keys, const struct chunk *section)
{
    struct chunk item;
    for (const uint8_t *at = section->begin; chunk_at(at, section->end, &item); at = item.end) {
        if (section->id == EDITOR && item.id == OBJECT)
            read_object(keys, &item);
        else if (section->id == KEYFRAMER && item.id == NODE)
            read_node(keys, &item);
    }
}

/* --- looking --- */

/* Whether a node moves a mesh from its own origin to the editor's position. A mirrored mesh, which programs write in
 * several ways, is assumed to match. */
static bool places(const struct key_node *node, const struct dmat4 *scene_from_mesh)
{
    const double *m = scene_from_mesh->m;
    struct dmat4 node_from_mesh = DMAT4_IDENTITY;
    double largest = 1, apart = 0;
    for (int i = 0; i < 3; i++)
        node_from_mesh.m[12 + i] = -node->pivot[i];
    const struct dmat4 scene = dmat4_mul(&node->scene_from_node, &node_from_mesh);
    for (int i = 0; i < 16; i++) {
        largest = fmax(largest, fabs(m[i]));
        apart = fmax(apart, fabs(scene.m[i] - m[i]));
    }
    return determinant3(m, m + 4, m + 8) < 0 || apart <= SAME_PLACE * largest;
}

/* Counts the nodes that show a mesh and checks whether they place it. */
static uint32_t count_nodes(struct keyframer *keys, const struct editor_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < keys->node_count; i++) {
        if (strcmp(keys->nodes[i].name, mesh->name) != 0)
            continue;
        keys->is_false |= !places(&keys->nodes[i], &mesh->scene_from_mesh);
        count++;
    }
    return count;
}

size_t assimp_3ds_false_keyframer(const uint8_t *bytes, size_t size_bytes)
{
    struct keyframer *keys = &looked_at;
    struct chunk main, section;
    size_t found = 0;
    memset(keys, 0, sizeof *keys);
    if (!chunk_at(bytes, bytes + size_bytes, &main) || main.id != MAIN)
        return 0;
    for (const uint8_t *at = main.begin; chunk_at(at, main.end, &section); at = section.end) {
        read_items(keys, &section);
        if (section.id == KEYFRAMER)
            found = (size_t)(at - bytes);
    }
    bool is_instanced = false;
    for (uint32_t i = 0; i < keys->mesh_count && !keys->is_full; i++) {
        const uint32_t count = count_nodes(keys, &keys->meshes[i]);
        keys->is_false |= count == 0;
        is_instanced |= count > 1;
    }
    return keys->is_false && keys->node_count > 0 && !keys->is_moved && !is_instanced && !keys->is_full ? found : 0;
}

/* --- names --- */

/* assimp names a mesh by its number in the file. */
static const char *mesh_name(const struct aiMesh *mesh)
{
    char *end;
    const unsigned long number = strtoul(mesh->mName.data, &end, 10);
    const bool is_number = end > mesh->mName.data && *end == '\0';
    return is_number && number < looked_at.mesh_count && !looked_at.is_full ? looked_at.meshes[number].name : NULL;
}

void assimp_3ds_names(struct assimp_job *job)
{
    const struct node_tree *tree = &job->tree;
    if (strcmp(tree->nodes[0].node->mName.data, "<3DSDummyRoot>") != 0)
        return;
    job->shown_names = mem_zalloc(tree->count, sizeof *job->shown_names);
    for (uint32_t n = 0; n < tree->count; n++) {
        const struct aiNode *node = tree->nodes[n].node;
        struct aiString *shown = &job->shown_names[n];
        const char *name = node->mNumMeshes > 0 ? mesh_name(job->scene->mMeshes[node->mMeshes[0]]) : NULL;
        *shown = node->mName;
        if (name == NULL)
            continue;
        shown->length = (ai_uint32)strnlen(name, sizeof shown->data - 1);
        memcpy(shown->data, name, shown->length);
        shown->data[shown->length] = '\0';
    }
}
