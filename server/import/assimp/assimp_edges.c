/* assimp_edges.c - finds hard edges if a file has no normals. With smooth normals alone, boxes and tools look like
 * pillows. If two faces meet at more than an angle limit, this file splits the vertices between them so that each side
 * has its own normal. */
#include "import/assimp/assimp_mesh.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 50 degrees: an eight-sided column is smooth, a cube is not. */
static const float EDGE_COSINE = 0.64278761f;
enum {
    FACES_MAX = 1000000, /* finer meshes get no hard edges */
    TIP_CORNERS = 256    /* vertices with more corners stay smooth, like the tip of a cone */
};

struct edges {
    const struct aiMesh *from;
    struct joined *joined;
    uint32_t corner_count;
    struct vec3 *faces;    /* [mNumFaces]: unit normals; 0 for faces without area */
    float *angles;         /* [corner_count], in radians */
    uint32_t *first;       /* [count before]: assimp_places() */
    uint32_t *starts;      /* [count before + 1]: corners at a place are at[starts[p]] to at[starts[p + 1]] */
    uint32_t *at;          /* [corner_count] */
    struct vertex_set set; /* by what vertices were and their normal */
    uint8_t *is_taken;     /* [count before] */
};

static uint32_t vertex_at(const struct edges *edges, uint32_t corner)
{
    return edges->joined->places[edges->from->mFaces[corner / 3].mIndices[corner % 3]];
}

static float dot(struct vec3 a, struct vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static void find_faces(const struct edges *edges)
{
    for (uint32_t f = 0; f < edges->from->mNumFaces; f++) {
        double angles[3], normal[3];
        assimp_triangle(edges->from, f, normal, angles);
        edges->faces[f] = (struct vec3){(float)normal[0], (float)normal[1], (float)normal[2]};
        for (int i = 0; i < 3; i++)
            edges->angles[3 * f + (uint32_t)i] = (float)angles[i];
    }
}

/* Counting sort; corners rise at each place. */
static void sort_corners(const struct edges *edges, uint32_t vertex_count)
{
    for (uint32_t c = 0; c < edges->corner_count; c++)
        edges->starts[edges->first[vertex_at(edges, c)] + 1]++;
    for (uint32_t p = 0; p < vertex_count; p++)
        edges->starts[p + 1] += edges->starts[p];
    for (uint32_t c = edges->corner_count; c-- > 0;)
        edges->at[--edges->starts[edges->first[vertex_at(edges, c)] + 1]] = c;
    memmove(edges->starts, edges->starts + 1, vertex_count * sizeof *edges->starts);
    edges->starts[vertex_count] = edges->corner_count;
}

/* Computes the mean normal of the adjoining faces without a hard edge to this one, weighted by angle like
 * assimp_normals(). */
static struct vec3 normal_at(const struct edges *edges, uint32_t corner)
{
    const uint32_t vertex = vertex_at(edges, corner), place = edges->first[vertex];
    const uint32_t begin = edges->starts[place], end = edges->starts[place + 1];
    const struct vec3 own = edges->faces[corner / 3];
    double sum[3] = {0};
    for (uint32_t i = begin; i < end && end - begin <= TIP_CORNERS; i++) {
        const uint32_t other = edges->at[i];
        const struct vec3 normal = edges->faces[other / 3];
        if (!(dot(own, normal) > EDGE_COSINE))
            continue;
        sum[0] += (double)edges->angles[other] * (double)normal.x;
        sum[1] += (double)edges->angles[other] * (double)normal.y;
        sum[2] += (double)edges->angles[other] * (double)normal.z;
    }
    if (!(unit3(sum) > 1e-6))
        return edges->joined->normals[vertex];
    return (struct vec3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

/* Returns the vertex that represents `vertex` with this normal; the first normal keeps the original index. */
static uint32_t vertex_with(const struct edges *edges, uint32_t vertex, struct vec3 normal, struct vec3 *normals)
{
    struct joined *joined = edges->joined;
    const uint32_t source = joined->sources[vertex];
    const uint64_t hash = hash64(hash64(HASH64_SEED, &source, sizeof source), &normal, sizeof normal);
    uint32_t *slot = vertex_set_first(&edges->set, hash);
    for (; *slot != VERTEX_NONE; slot = vertex_set_next(&edges->set, slot))
        if (joined->sources[*slot] == source && memcmp(&normals[*slot], &normal, sizeof normal) == 0)
            return *slot;
    const uint32_t added = edges->is_taken[vertex] ? joined->count++ : vertex;
    edges->is_taken[vertex] = 1;
    joined->sources[added] = source;
    normals[added] = normal;
    *slot = added;
    return added;
}

/* `normals` and the sources have capacity for all corners. */
static void split(const struct edges *edges, struct vec3 *normals)
{
    struct joined *joined = edges->joined;
    memcpy(normals, joined->normals, joined->count * sizeof *normals);
    for (uint32_t c = 0; c < edges->corner_count; c++)
        joined->corners[c] = vertex_with(edges, vertex_at(edges, c), normal_at(edges, c), normals);
    free(joined->normals);
    joined->normals = normals;
}

static bool is_all_triangles(const struct aiMesh *from)
{
    for (uint32_t f = 0; f < from->mNumFaces; f++)
        if (!assimp_is_triangle(from, f))
            return false;
    return true;
}

void assimp_edges(const struct aiMesh *from, uint64_t vertices_max, struct joined *joined)
{
    const uint64_t most = joined->count + 3 * (uint64_t)from->mNumFaces;
    if (joined->normals == NULL || from->mNumAnimMeshes > 0 || from->mNumFaces > FACES_MAX || most > vertices_max ||
        !is_all_triangles(from))
        return;
    const size_t before = joined->count, corners = 3 * (size_t)from->mNumFaces;
    struct edges edges = {
        .from = from,
        .joined = joined,
        .corner_count = (uint32_t)corners,
        .faces = mem_alloc(from->mNumFaces * sizeof *edges.faces),
        .angles = mem_alloc(corners * sizeof *edges.angles),
        .first = assimp_places(from, joined),
        .starts = mem_zalloc(before + 2, sizeof *edges.starts),
        .at = mem_alloc(corners * sizeof *edges.at),
        .is_taken = mem_zalloc(before, 1),
    };
    vertex_set_init(&edges.set, corners);
    joined->corners = mem_alloc(corners * sizeof *joined->corners);
    joined->sources = mem_realloc(joined->sources, (size_t)most * sizeof *joined->sources);
    find_faces(&edges);
    sort_corners(&edges, joined->count);
    split(&edges, mem_alloc((size_t)most * sizeof *joined->normals));
    free(edges.faces);
    free(edges.angles);
    free(edges.first);
    free(edges.starts);
    free(edges.at);
    free(edges.set.slots);
    free(edges.is_taken);
}
