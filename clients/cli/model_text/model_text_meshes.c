/* Puts meshes. Data too large for lines becomes hashes, of the exact numbers in the file. They do not depend on the
 * order of vertices and triangles, nor on how often a vertex is stored. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A primitive of a node. Pointers are into the answer; NULL: it has no such data. */
struct entry {
    int node, primitive;
    struct text label;
    const float *positions; /* [vertex_count][3] */
    const uint32_t *corners, *firsts, *joints;
    const float *weights, *dual_weights;
    uint32_t vertex_count, corner_count, first_count, joint_count, weight_count, dual_count;
    int corners_each; /* 3: triangles, 2: lines, 1: points */
    const cJSON *skin_joints;
};

/* --- reading --- */

static void read_block(const struct posed_frames *frames, uint32_t index, const struct posed_block *block,
                       struct entry *entry)
{
    switch (block->kind) {
    case POSED_BLOCK_REST:
        entry->positions = posed_frames_floats(frames, index, 0);
        entry->vertex_count = block->count;
        entry->node = block->node;
        entry->primitive = block->primitive;
        break;
    case POSED_BLOCK_INDICES:
        entry->corners = posed_frames_integers(frames, index, 0);
        entry->corner_count = block->count;
        break;
    case POSED_BLOCK_INFLUENCE_FIRSTS:
        entry->firsts = posed_frames_integers(frames, index, 0);
        entry->first_count = block->count;
        break;
    case POSED_BLOCK_INFLUENCE_JOINTS:
        entry->joints = posed_frames_integers(frames, index, 0);
        entry->joint_count = block->count;
        break;
    case POSED_BLOCK_INFLUENCE_WEIGHTS:
        entry->weights = posed_frames_floats(frames, index, 0);
        entry->weight_count = block->count;
        break;
    case POSED_BLOCK_DUAL_WEIGHTS:
        entry->dual_weights = posed_frames_floats(frames, index, 0);
        entry->dual_count = block->count;
        break;
    default:
        break;
    }
}

static const cJSON *primitive_of(const struct model_text *text, const struct entry *entry, const cJSON **mesh)
{
    const int index = member_index(text->nodes[entry->node], "mesh");
    *mesh = index < 0 ? NULL : cJSON_GetArrayItem(json_get(text->model, "meshes"), index);
    return entry->primitive < 0 ? NULL : cJSON_GetArrayItem(json_get(*mesh, "primitives"), entry->primitive);
}

/* Names the entry by its node and its material, and finds the joints that move it. */
static void identify(const struct model_text *text, struct entry *entry)
{
    const cJSON *mesh, *primitive = primitive_of(text, entry, &mesh), *list;
    const int material = member_index(primitive, "material"), skin = member_index(text->nodes[entry->node], "skin");
    const char *topology = member_text(primitive, "topology");
    entry->corners_each = strcmp(topology, "points") == 0 ? 1 : strcmp(topology, "lines") == 0 ? 2 : 3;
    text_printf(&entry->label, "mesh of %s: ", text->labels[entry->node]);
    model_text_put_name(&entry->label,
                        material < 0 ? NULL : cJSON_GetArrayItem(json_get(text->model, "materials"), material));
    list = skin < 0 ? NULL : cJSON_GetArrayItem(json_get(text->model, "skins"), skin);
    entry->skin_joints = json_get(list, "joints");
}

/* Reads the entries of an answer, the caller's array of *count. Returns NULL if there are none. */
static struct entry *read_entries(const struct model_text *text, const struct posed_frames *frames, size_t *count)
{
    struct entry *entries = must_alloc((frames->block_count + 1) * sizeof *entries);
    size_t kept = 0;
    for (uint32_t i = 0; i < frames->block_count; i++)
        entries[i].node = -1;
    for (uint32_t b = 0; b < frames->block_count; b++) {
        const struct posed_block block = posed_frames_block(frames, b);
        if (block.kind != POSED_BLOCK_JOINT_FROM_BIND && block.kind != POSED_BLOCK_JOINT_NODES &&
            block.index < frames->block_count)
            read_block(frames, b, &block, &entries[block.index]);
    }
    for (uint32_t i = 0; i < frames->block_count; i++) {
        if (entries[i].node < 0 || (size_t)entries[i].node >= text->node_count || entries[i].positions == NULL)
            continue;
        entries[kept] = entries[i];
        identify(text, &entries[kept++]);
    }
    *count = kept;
    return entries;
}

/* --- hashes --- */

static uint64_t hash_position(const struct entry *entry, uint32_t vertex)
{
    float position[3];
    for (int i = 0; i < 3; i++)
        position[i] = entry->positions[3 * (size_t)vertex + (size_t)i] + 0.0f; /* -0 is 0 */
    return hash_more(FNV_BASIS, position, sizeof position);
}

/* Hashes which joints move a vertex, and how much. Joints without weight do not count. */
static uint64_t hash_influences(const struct entry *entry, const uint64_t *joint_hashes, uint32_t joint_hash_count,
                                uint32_t vertex)
{
    uint64_t sum = 0;
    if (entry->firsts == NULL || entry->joints == NULL || entry->weights == NULL || vertex + 1 >= entry->first_count)
        return 0;
    for (uint32_t i = entry->firsts[vertex];
         i < entry->firsts[vertex + 1] && i < entry->weight_count && i < entry->joint_count; i++)
        if (entry->weights[i] > 0)
            sum += hash_more(entry->joints[i] < joint_hash_count ? joint_hashes[entry->joints[i]] : FNV_BASIS,
                             &entry->weights[i], sizeof entry->weights[i]);
    if (entry->dual_weights != NULL && vertex < entry->dual_count)
        sum = hash_more(sum, &entry->dual_weights[vertex], sizeof entry->dual_weights[vertex]);
    return sum;
}

/* What is drawn by a primitive: sums over its triangles, lines or points, so that their order does not count. */
struct drawn {
    uint64_t shape, influences;
    size_t count;
    double low[3], high[3];
};

/* Finds the box around the corners. */
static void find_box(const struct entry *entry, struct drawn *drawn)
{
    for (int i = 0; i < 3; i++) {
        drawn->low[i] = HUGE_VAL;
        drawn->high[i] = -HUGE_VAL;
    }
    for (uint32_t c = 0; entry->corners != NULL && c < entry->corner_count; c++)
        for (size_t i = 0; i < 3 && entry->corners[c] < entry->vertex_count; i++) {
            const double position = (double)entry->positions[3 * (size_t)entry->corners[c] + i];
            drawn->low[i] = fmin(drawn->low[i], position);
            drawn->high[i] = fmax(drawn->high[i], position);
        }
}

static double length_of(const double vector[3]) { return hypot(hypot(vector[0], vector[1]), vector[2]); }

/* Returns whether a triangle or line is larger than the noise of computed vertices. Some programs leave out the others.
 * `corners`: of one element; `near`: what counts as no distance. */
static bool is_visible(const struct entry *entry, const uint32_t *corners, double near)
{
    double sides[2][3];
    for (int side = 0; side + 1 < entry->corners_each; side++)
        for (size_t i = 0; i < 3; i++)
            sides[side][i] = (double)entry->positions[3 * (size_t)corners[side + 1] + i] -
                             (double)entry->positions[3 * (size_t)corners[0] + i];
    if (entry->corners_each < 3)
        return entry->corners_each == 1 || length_of(sides[0]) > near;
    const double *u = sides[0], *v = sides[1];
    const double area[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double third[3] = {u[0] - v[0], u[1] - v[1], u[2] - v[2]};
    return length_of(area) > near * fmax(fmax(length_of(u), length_of(v)), length_of(third)); /* its least height */
}

/* Hashes an element from its corner with the smallest hash on: of a triangle only the side counts, and the ends of a
 * line have no order. */
static uint64_t hash_element(const uint64_t *corners, int count)
{
    uint64_t ordered[3];
    int first = 0;
    for (int i = 1; i < count; i++)
        first = corners[i] < corners[first] ? i : first;
    for (int i = 0; i < count; i++)
        ordered[i] = corners[(first + i) % count];
    return hash_more(FNV_BASIS, ordered, (size_t)count * sizeof *ordered);
}

/* Hashes the labels of the joints that move an entry. The caller frees the array. */
static uint64_t *hash_joints(const struct model_text *text, const struct entry *entry, uint32_t *count)
{
    const cJSON *joint;
    uint64_t *hashes = must_alloc(((size_t)cJSON_GetArraySize(entry->skin_joints) + 1) * sizeof *hashes);
    *count = 0;
    cJSON_ArrayForEach(joint, entry->skin_joints)
    {
        const int node = member_index(joint, "node");
        const char *label = node >= 0 && (size_t)node < text->node_count ? text->labels[node] : "";
        hashes[(*count)++] = hash_more(FNV_BASIS, label, strlen(label));
    }
    return hashes;
}

static void draw(const struct model_text *text, const struct entry *entry, struct drawn *drawn)
{
    static const double NEAR_SHARE = 1e-6;
    uint32_t joint_count;
    uint64_t *joints = hash_joints(text, entry, &joint_count);
    const uint32_t each = (uint32_t)entry->corners_each;
    double extent = 0;
    find_box(entry, drawn);
    for (int i = 0; i < 3; i++)
        extent = fmax(extent, drawn->high[i] - drawn->low[i]);
    for (uint32_t i = 0; entry->corners != NULL && each <= entry->corner_count - i; i += each) {
        const uint32_t *vertices = entry->corners + i;
        uint64_t corners[3], moved = 0;
        uint32_t inside = 0;
        while (inside < each && vertices[inside] < entry->vertex_count)
            inside++;
        if (inside < each || !is_visible(entry, vertices, NEAR_SHARE * extent))
            continue;
        for (uint32_t k = 0; k < each; k++) {
            const uint64_t influences = hash_influences(entry, joints, joint_count, vertices[k]);
            corners[k] = hash_position(entry, vertices[k]);
            moved += hash_more(corners[k], &influences, sizeof influences);
        }
        drawn->shape += hash_element(corners, (int)each);
        drawn->influences += moved;
        drawn->count++;
    }
    free(joints);
}

/* --- lines --- */

static void put_entry(const struct model_text *text, const struct entry *entry, struct text *out)
{
    static const char *const ELEMENTS[] = {"points", "lines", "triangles"};
    const cJSON *mesh, *primitive = primitive_of(text, entry, &mesh);
    struct drawn drawn = {0};
    draw(text, entry, &drawn);
    text_printf(out, "%s: %zu %s, up to %.0f joints a vertex, %.0f morph targets", entry->label.at, drawn.count,
                ELEMENTS[entry->corners_each - 1], fmax(member_number(primitive, "influences_max"), 0),
                fmax(member_number(primitive, "morph_targets"), 0));
    if (drawn.count > 0) {
        text_put(out, ", box");
        rounded_put_all(out, drawn.low, 3, text->place_decimals);
        text_put(out, " to");
        rounded_put_all(out, drawn.high, 3, text->place_decimals);
    }
    text_printf(out, "\n%s: vertices %016llx", entry->label.at, (unsigned long long)drawn.shape);
    if (entry->weights != NULL && entry->weight_count > 0)
        text_printf(out, ", weights of joints %016llx", (unsigned long long)drawn.influences);
    text_put(out, "\n");
}

static void put_entries(struct model_text *text, const struct posed_frames *frames)
{
    size_t count;
    struct sorted_texts lines = {0};
    struct entry *entries = read_entries(text, frames, &count);
    for (size_t i = 0; i < count; i++) {
        struct text own = {0};
        put_entry(text, &entries[i], &own);
        sorted_texts_take(&lines, &own);
        text_free(&entries[i].label);
    }
    sorted_texts_put(&lines, text->out);
    free(entries);
}

/* Puts the meshes that the answer does not have. */
static void put_unused(const struct model_text *text)
{
    struct sorted_texts lines = {0};
    const cJSON *mesh;
    cJSON_ArrayForEach(mesh, json_get(text->model, "meshes"))
    {
        const int index = member_index(mesh, "index");
        bool is_used = false;
        for (size_t i = 0; i < text->node_count && !is_used; i++)
            is_used = index >= 0 && member_index(text->nodes[i], "mesh") == index;
        if (is_used)
            continue;
        struct text line = {0};
        text_put(&line, "mesh ");
        model_text_put_name(&line, mesh);
        text_put(&line, ": no node draws it\n");
        sorted_texts_take(&lines, &line);
    }
    sorted_texts_put(&lines, text->out);
}

void model_text_put_meshes(struct model_text *text)
{
    struct posed_packet answer;
    struct posed_frames frames;
    if (cJSON_GetArraySize(json_get(text->model, "meshes")) == 0) {
        model_text_put_skins(text, NULL);
        return;
    }
    if (connection_request_model(text->connection, "mesh", text->path, "&clip=-&rest=1&indices=1&weights=1&format=bin",
                                 NULL, &answer) != 0 ||
        answer.kind != POSED_FRAMES || posed_read_frames(answer.data, answer.data_bytes, &frames) < 0) {
        text_put(text->out, "mesh: vertices are not told: ");
        text_put_printable(text->out, text->connection->posed.error.message);
        text_put(text->out, "\n");
        model_text_put_skins(text, NULL);
        return;
    }
    model_text_put_skins(text, &frames);
    put_entries(text, &frames);
    put_unused(text);
}
