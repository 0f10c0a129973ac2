/* check_strays.c - finds vertices that follow a joint far away: islands of weights that end within a mesh, and that are
 * farther from the joint's bone than all that follows it elsewhere. */
#include "anim/check/weight_islands.h"

#include "base/mem.h"

#include <stdlib.h>

static const double LEAST_WEIGHT = 0.1;        /* of what counts for the reach of a joint, and for an island */
static const double LEAST_PEAK = 0.25;         /* of the vertex of an island that follows the joint most */
static const double FARTHER = 2, MARGIN = 0.1; /* times the reach of the joint, and a share of the mesh's size */
static const double SMALL = 0.5;               /* of what the joint moves elsewhere */

enum { WORK_MOST = 50000000 }; /* about a second */

/* What is known of an island, by its influence that is the root. */
struct island {
    float weight, peak; /* sum, and greatest of a vertex at its end; 0: it ends nowhere */
    float near;         /* distance of the nearest vertex from the bone */
    uint32_t vertex;    /* with the greatest weight of those at its end */
    uint32_t neighbour; /* beyond its end; UINT32_MAX: it has no end within the mesh */
};

/* A joint as it was bound. */
struct bone {
    double place[3];
    uint32_t child, sibling; /* joints whose bones begin where this one ends; UINT32_MAX: no more */
    bool is_known;
    uint32_t main; /* its greatest island; UINT32_MAX: none */
    double far;    /* the reach of that */
};

struct search {
    struct islands islands;
    struct island *at; /* [influence_count] */
    struct bone *bones;
    const struct skin *skin;
    double size; /* of the vertices where they were bound */
    struct check_rig *rig;
};

/* --- bones --- */

/* Fills in the places of joints, and which one is below which. */
static void find_bones(struct search *search)
{
    const struct model *model = search->islands.model;
    const struct skin *skin = search->skin;
    uint32_t *above = mem_alloc(((size_t)model->node_count + 1) * sizeof *above);
    memset(above, 0xff, model->node_count * sizeof *above);
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        struct bone *bone = &search->bones[j];
        const struct joint *joint = &model->joints[skin->joint_first + j];
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
        struct dmat4 bind_from_joint;
        *bone = (struct bone){.child = UINT32_MAX, .sibling = UINT32_MAX, .main = UINT32_MAX};
        bone->is_known = dmat4_invert(&joint_from_bind, &bind_from_joint);
        memcpy(bone->place, bind_from_joint.m + 12, sizeof bone->place);
        above[joint->node] = j;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i], own = above[n];
        const int32_t parent = model->nodes[n].parent;
        const uint32_t up = parent < 0 ? UINT32_MAX : above[parent];
        if (own == UINT32_MAX)
            above[n] = up;
        else if (up != UINT32_MAX && search->bones[own].is_known) {
            search->bones[own].sibling = search->bones[up].child;
            search->bones[up].child = own;
        }
    }
    search->islands.work += model->node_count;
    free(above);
}

/* Returns the distance of a vertex from a bone: the lines from the joint to those below it. */
static double bone_distance(struct search *search, uint32_t vertex, const struct bone *bone)
{
    const double *p = DOUBLE3(search->islands.model->positions[vertex]);
    double least = segment_distance(p, bone->place, bone->place);
    for (uint32_t c = bone->child; c != UINT32_MAX && !islands_are_too_many(&search->islands);
         c = search->bones[c].sibling) {
        least = fmin(least, segment_distance(p, bone->place, search->bones[c].place));
        search->islands.work++;
    }
    return least;
}

/* --- islands --- */

static void note_edge(void *context, uint32_t a, uint32_t b)
{
    struct search *search = context;
    const struct model *model = search->islands.model;
    for (uint32_t i = model->influence_firsts[a];
         i < model->influence_firsts[a + 1] && !islands_are_too_many(&search->islands); i++) {
        const struct influence *influence = &model->influences[i];
        struct island *island = &search->at[island_of(&search->islands, i)];
        if ((double)influence->weight < LEAST_WEIGHT ||
            (island->neighbour != UINT32_MAX && influence->weight <= island->peak))
            continue;
        if (influence_find(&search->islands, b, influence->joint) < 0) {
            island->peak = influence->weight;
            island->vertex = a;
            island->neighbour = b;
        }
    }
}

/* Sums up the weights of all islands of the skin, and finds where they end. */
static void weigh(struct search *search, uint32_t skin)
{
    const struct model *model = search->islands.model;
    for (uint32_t i = 0; i < search->islands.vertex_count; i++) {
        const uint32_t v = search->islands.vertices[i];
        for (uint32_t k = model->influence_firsts[v]; k < model->influence_firsts[v + 1]; k++)
            search->at[island_of(&search->islands, k)].weight += model->influences[k].weight;
    }
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (model->draws[d].skin == skin && search->islands.is_taken[model->draws[d].primitive] == 1)
            edges_visit(model, &model->primitives[model->draws[d].primitive], note_edge, search);
}

/* Finds the greatest island of each joint and its reach, then how near the others are. */
static void measure(struct search *search)
{
    const struct model *model = search->islands.model;
    struct box box = BOX_EMPTY;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < search->islands.vertex_count; i++) {
            const uint32_t v = search->islands.vertices[i];
            box_add(&box, DOUBLE3(model->positions[v]));
            for (uint32_t k = model->influence_firsts[v]; k < model->influence_firsts[v + 1]; k++) {
                struct bone *bone = &search->bones[model->influences[k].joint];
                const uint32_t root = island_of(&search->islands, k);
                if (pass == 0 && (bone->main == UINT32_MAX || search->at[root].weight > search->at[bone->main].weight))
                    bone->main = root;
                if (pass == 0 || (double)model->influences[k].weight < LEAST_WEIGHT || !bone->is_known)
                    continue;
                const double distance = bone_distance(search, v, bone);
                if (root == bone->main)
                    bone->far = fmax(bone->far, distance);
                else
                    search->at[root].near = fminf(search->at[root].near, (float)distance);
            }
        }
    search->size = box_size(&box);
}

/* --- strays --- */

static void add_stray(struct search *search, uint32_t skin, uint32_t root)
{
    const struct model *model = search->islands.model;
    const struct island *island = &search->at[root];
    const uint32_t joint = model->influences[root].joint;
    const struct bone *bone = &search->bones[joint];
    const double limit = FARTHER * bone->far + MARGIN * search->size;
    struct check_rig *rig = search->rig;
    uint32_t mesh = 0;
    if (root == bone->main || (double)island->peak < LEAST_PEAK || !bone->is_known || !isfinite(island->near) ||
        !((double)island->near > limit) || !isfinite(limit) ||
        (double)island->weight > SMALL * (double)search->at[bone->main].weight || rig->stray_count == STRAYS_MOST)
        return;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        if (island->vertex - model->primitives[p].vertex_first < model->primitives[p].vertex_count)
            mesh = model->primitives[p].mesh;
    rig->strays[rig->stray_count++] = (struct stray){skin,
                                                     joint,
                                                     mesh,
                                                     island->vertex,
                                                     island->neighbour,
                                                     (double)island->peak,
                                                     (double)island->near / search->size,
                                                     limit / search->size};
}

/* Looks at what a skin draws. False: it takes too much. */
static bool look_at_skin(struct search *search, uint32_t skin)
{
    const struct model *model = search->islands.model;
    search->skin = &model->skins[skin];
    if (!islands_join(&search->islands, skin))
        return false;
    search->bones = mem_alloc(((size_t)search->skin->joint_count + 1) * sizeof *search->bones);
    find_bones(search);
    weigh(search, skin);
    measure(search);
    for (uint32_t i = 0; i < search->islands.vertex_count && !islands_are_too_many(&search->islands); i++) {
        const uint32_t v = search->islands.vertices[i];
        for (uint32_t k = model->influence_firsts[v]; k < model->influence_firsts[v + 1]; k++)
            if (island_of(&search->islands, k) == k)
                add_stray(search, skin, k);
    }
    free(search->bones);
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (search->islands.is_taken[model->draws[d].primitive] == 1)
            search->islands.is_taken[model->draws[d].primitive] = 2; /* of a skin before */
    return !islands_are_too_many(&search->islands);
}

void check_find_strays(struct clip_check *check, struct check_rig *rig)
{
    const struct model *model = check->model;
    const uint32_t influences = model->influence_count, vertices = model_vertex_count(model);
    const uint64_t used = check->report->vertex_count, most = check->options->vertices;
    struct search search = {.rig = rig};
    if (influences == 0 || influences > INFLUENCES_MOST || used >= most)
        return;
    search.islands = (struct islands){.model = model,
                                      .work_most = most - used < WORK_MOST ? most - used : WORK_MOST,
                                      .is_stopped = check->options->is_stopped};
    search.islands.parents = mem_alloc((size_t)influences * sizeof *search.islands.parents);
    search.islands.is_taken = mem_zalloc((size_t)model->primitive_count + 1, 1);
    search.islands.vertices = mem_alloc(((size_t)vertices + 1) * sizeof *search.islands.vertices);
    search.at = mem_alloc((size_t)influences * sizeof *search.at);
    rig->strays = mem_alloc(STRAYS_MOST * sizeof *rig->strays);
    for (uint32_t i = 0; i < influences; i++) {
        search.islands.parents[i] = i;
        search.at[i] = (struct island){.near = HUGE_VALF, .neighbour = UINT32_MAX};
    }
    for (uint32_t s = 0; s < model->skin_count; s++)
        if ((model->skins[s].flags & SKIN_RIGID) == 0 && !look_at_skin(&search, s))
            break;
    check->report->vertex_count += search.islands.work;
    free(search.islands.parents);
    free(search.islands.is_taken);
    free(search.islands.vertices);
    free(search.at);
}
