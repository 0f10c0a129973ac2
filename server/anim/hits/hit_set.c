/* hit_set.c - gathers the vertices that each joint leads, fits volumes to them, and applies the hitbox file. */
#include "anim/hits/hit_set.h"

#include "anim/shape/volume_fit.h"
#include "anim/shape/affine.h"
#include "anim/pose/bounds.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char HITBOXES_WARNING[] = "bad_hitboxes";

/* The vertices of all joints. Those that node n leads are points[firsts[n] .. firsts[n + 1]). */
struct led {
    double (*points)[3];
    uint64_t *firsts; /* [node_count + 1] */
};

static void led_fini(struct led *led)
{
    free(led->points);
    free(led->firsts);
}

/* --- vertices --- */

static bool has_scene(const struct model *model)
{
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->draws[d].flags & DRAW_IN_SCENE) != 0)
            return true;
    return false;
}

static bool counts(const struct model *model, const struct draw *draw, bool is_of_scene)
{
    return (!is_of_scene || (draw->flags & DRAW_IN_SCENE) != 0) && model->primitives[draw->primitive].vertex_count > 0;
}

static const struct joint *leader(const struct model *model, const struct draw *draw, uint32_t vertex)
{
    return &model->joints[model->skins[draw->skin].joint_first + bounds_main_joint(model, vertex)];
}

/* Places the vertices of one draw, at rest, in the spaces of their joints. */
static void place_draw(const struct model *model, const struct draw *draw, struct led *led, uint64_t *ends)
{
    enum { AT_ONCE = 64 };
    const struct primitive *p = &model->primitives[draw->primitive];
    const struct node *node = &model->nodes[draw->node];
    double *weights = mem_zalloc((size_t)node->weight_count + 1, sizeof *weights);
    for (uint32_t w = 0; w < node->weight_count; w++)
        weights[w] = (double)model->weights[node->weight_first + w];
    for (uint32_t first = 0; first < p->vertex_count; first += AT_ONCE) {
        uint32_t places[AT_ONCE], count = 0;
        double binds[AT_ONCE][3];
        for (; count < AT_ONCE && first + count < p->vertex_count; count++)
            places[count] = first + count;
        skin_morph_binds(model, draw->primitive, places, count, weights, node->weight_count, binds);
        for (uint32_t i = 0; i < count; i++) {
            const struct joint *joint = leader(model, draw, p->vertex_first + places[i]);
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            dmat4_point(&joint_from_bind, binds[i], led->points[ends[joint->node]++]);
        }
    }
    free(weights);
}

static int find_led(const struct model *model, uint64_t vertices_max, struct led *led, struct err *err)
{
    const bool is_of_scene = has_scene(model);
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (counts(model, &model->draws[d], is_of_scene))
            count += model->primitives[model->draws[d].primitive].vertex_count;
    if (count > vertices_max)
        return err_set(err, ERR_TOO_MANY_FRAMES,
                       "its meshes are drawn with %llu vertices, more than the %llu of --max-bounds",
                       (unsigned long long)count, (unsigned long long)vertices_max);
    led->firsts = mem_zalloc((size_t)model->node_count + 1, sizeof *led->firsts);
    led->points = malloc((size_t)count * sizeof *led->points + 1);
    uint64_t *ends = mem_zalloc((size_t)model->node_count + 1, sizeof *ends);
    if (led->points == NULL) {
        free(ends);
        led_fini(led);
        return err_set(err, ERR_NO_MEMORY, "there is no memory for %llu vertices", (unsigned long long)count);
    }
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        for (uint32_t v = 0; v < p->vertex_count && counts(model, &model->draws[d], is_of_scene); v++)
            led->firsts[leader(model, &model->draws[d], p->vertex_first + v)->node + 1]++;
    }
    for (uint32_t n = 0; n < model->node_count; n++) {
        led->firsts[n + 1] += led->firsts[n];
        ends[n] = led->firsts[n];
    }
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (counts(model, &model->draws[d], is_of_scene))
            place_draw(model, &model->draws[d], led, ends);
    free(ends);
    return 0;
}

/* --- the hitbox file --- */

static int check_file(const struct model *model, struct err *err)
{
    for (uint32_t w = 0; w < model->warning_count; w++) {
        const struct warning *warning = &model->warnings[w];
        if (warning->code.size_bytes == strlen(HITBOXES_WARNING) &&
            memcmp(model->text + warning->code.offset, HITBOXES_WARNING, warning->code.size_bytes) == 0)
            return err_set(err, ERR_BAD_HITBOXES, "%.*s", (int)warning->message.size_bytes,
                           model->text + warning->message.offset);
    }
    return 0;
}

/* Returns the kind of volume to fit to each node, or -1. */
static int8_t *choose_kinds(const struct model *model, enum volume_kind fit)
{
    int8_t *kinds = mem_alloc((size_t)model->node_count + 1);
    memset(kinds, (int)fit, model->node_count);
    for (uint32_t h = 0; h < model->hitbox_count; h++) {
        const struct hitbox *hitbox = &model->hitboxes[h];
        kinds[hitbox->volume.node] = hitbox->rule == HITBOX_FIT ? (int8_t)hitbox->volume.kind : -1;
    }
    return kinds;
}

/* --- volumes --- */

/* The skin and joint of a node n: places[n]. */
struct place {
    int32_t skin; /* or -1 */
    uint32_t joint;
};

/* Finds for each node the first joint with an invertible inverse bind matrix, because palettes are the fastest form of
 * poses. */
static struct place *find_places(const struct model *model)
{
    struct place *places = mem_alloc(((size_t)model->node_count + 1) * sizeof *places);
    for (uint32_t n = 0; n < model->node_count; n++)
        places[n] = (struct place){.skin = -1, .joint = n};
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++) {
            const struct joint *joint = &model->joints[model->skins[s].joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            struct dmat4 inverse;
            if (places[joint->node].skin < 0 && affine_invert(&joint_from_bind, &inverse))
                places[joint->node] = (struct place){.skin = (int32_t)s, .joint = j};
        }
    return places;
}

static void use_place(const struct model *model, const struct place *place, struct set_volume *volume)
{
    volume->skin = place->skin;
    volume->joint = place->joint;
    volume->joint_from_bind = volume->bind_from_joint = DMAT4_IDENTITY;
    if (place->skin < 0)
        return;
    const struct joint *joint = &model->joints[model->skins[place->skin].joint_first + place->joint];
    volume->joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
    affine_invert(&volume->joint_from_bind, &volume->bind_from_joint);
}

/* The inputs of the volumes. */
struct source {
    const struct model *model;
    struct led led;
    struct place *places;
};

static void add_volume(struct hit_set *set, const struct source *from, const struct hit_volume *volume, bool is_given)
{
    const struct led *led = &from->led;
    struct set_volume *added = &set->volumes[set->count++];
    double center[3], radius;
    *added = (struct set_volume){.volume = *volume, .is_given = is_given};
    for (uint64_t p = led->firsts[volume->node]; p < led->firsts[volume->node + 1]; p++, added->vertex_count++)
        added->outside_count += !volume_contains(volume, led->points[p]);
    use_place(from->model, &from->places[volume->node], added);
    volume_ball(volume, center, &radius);
    dmat4_point(&added->bind_from_joint, center, added->center);
    added->radius = radius * affine_stretch(&added->bind_from_joint);
}

static void add_of_node(struct hit_set *set, const struct source *from, uint32_t node, int kind)
{
    const struct led *led = &from->led;
    const struct model *model = from->model;
    const uint64_t count = led->firsts[node + 1] - led->firsts[node];
    if (kind >= 0 && count > 0) {
        struct hit_volume volume = {.name = {.offset = STR_NONE}, .node = node};
        volume_fit((enum volume_kind)kind, (const double(*)[3])led->points + led->firsts[node], (uint32_t)count,
                   &volume);
        add_volume(set, from, &volume, false);
    }
    for (uint32_t h = 0; kind < 0 && h < model->hitbox_count; h++)
        if (model->hitboxes[h].volume.node == node && model->hitboxes[h].rule == HITBOX_GIVEN)
            add_volume(set, from, &model->hitboxes[h].volume, true);
}

static void list_balls(struct hit_set *set)
{
    set->stride = (set->count + HIT_LANES - 1) / HIT_LANES * HIT_LANES;
    set->balls = mem_zalloc((size_t)4 * set->stride + 1, sizeof *set->balls);
    set->places = mem_zalloc((size_t)set->stride + 1, sizeof *set->places);
    for (uint32_t v = 0; v < set->stride; v++)
        set->places[v] = v < set->count ? (struct hit_place){set->volumes[v].skin, set->volumes[v].joint}
                                        : (struct hit_place){-1, 0};
    for (uint32_t v = 0; v < set->stride; v++) {
        const struct set_volume *volume = &set->volumes[v < set->count ? v : 0];
        double sum = 0;
        for (int i = 0; i < 3 && v < set->count; i++) {
            set->balls[(size_t)i * set->stride + v] = (float)volume->center[i];
            sum += fabs(volume->center[i]);
        }
        set->balls[(size_t)3 * set->stride + v] =
            v < set->count ? (float)(volume->radius + HIT_FLOAT_SLACK * (volume->radius + sum)) : -HUGE_VALF;
    }
}

static void list_places(struct hit_set *set, const struct model *model)
{
    bool *has_skin = mem_zalloc((size_t)model->skin_count + 1, sizeof *has_skin);
    set->skins = mem_zalloc((size_t)model->skin_count + 1, sizeof *set->skins);
    set->nodes = mem_zalloc((size_t)set->count + 1, sizeof *set->nodes);
    for (uint32_t v = 0; v < set->count; v++) {
        const struct set_volume *volume = &set->volumes[v];
        if (volume->skin < 0)
            set->nodes[set->node_count++] = volume->joint;
        else if (!has_skin[volume->skin]) {
            const uint32_t joints = model->skins[volume->skin].joint_count;
            has_skin[volume->skin] = true;
            set->skins[set->skin_count++] = (struct hit_skin){.skin = (uint32_t)volume->skin};
            set->joint_most = joints > set->joint_most ? joints : set->joint_most;
        }
    }
    free(has_skin);
}

/* Lists the skins of a group without duplicates; returns how many there are. */
static uint32_t skins_of_group(const struct hit_set *set, uint32_t group, int32_t out[HIT_GROUP])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < HIT_GROUP; i++) {
        const int32_t skin = set->places[group * HIT_GROUP + i].skin;
        uint32_t known = 0;
        while (known < count && out[known] != skin)
            known++;
        if (skin >= 0 && known == count)
            out[count++] = skin;
    }
    return count;
}

/* Lists groups per skin, so that storing a pose's rows takes time for each volume, not for each volume and skin. */
static void list_groups(struct hit_set *set, const struct model *model)
{
    uint32_t *index = mem_zalloc((size_t)model->skin_count + 1, sizeof *index); /* index in set->skins */
    int32_t skins[HIT_GROUP];
    const uint32_t count = set->stride / HIT_GROUP;
    uint32_t first = 0;
    for (uint32_t s = 0; s < set->skin_count; s++)
        index[set->skins[s].skin] = s;
    for (uint32_t g = 0; g < count; g++)
        for (uint32_t i = 0, most = skins_of_group(set, g, skins); i < most; i++)
            set->skins[index[skins[i]]].group_count++;
    for (uint32_t s = 0; s < set->skin_count; s++) {
        set->skins[s].group_first = first;
        first += set->skins[s].group_count;
        set->skins[s].group_count = 0;
    }
    set->groups = mem_zalloc((size_t)first + 1, sizeof *set->groups);
    for (uint32_t g = 0; g < count; g++)
        for (uint32_t i = 0, most = skins_of_group(set, g, skins); i < most; i++) {
            struct hit_skin *skin = &set->skins[index[skins[i]]];
            set->groups[skin->group_first + skin->group_count++] = g;
        }
    free(index);
    set->size_bytes =
        first * sizeof *set->groups + sizeof *set +
        set->count * (sizeof *set->volumes + sizeof *set->nodes + 4 * sizeof *set->balls + sizeof *set->places) +
        set->skin_count * sizeof *set->skins;
}

int hit_set_new(const struct model *model, enum volume_kind fit, uint64_t vertices_max, struct hit_set **out,
                struct err *err)
{
    struct source from = {.model = model};
    *out = NULL;
    if (check_file(model, err) < 0 || find_led(model, vertices_max, &from.led, err) < 0)
        return err->code;
    struct hit_set *set = *out = mem_zalloc(1, sizeof *set);
    from.places = find_places(model);
    int8_t *kinds = choose_kinds(model, fit);
    set->fit = fit;
    set->volumes = mem_zalloc((size_t)model->node_count + model->hitbox_count + 1, sizeof *set->volumes);
    for (uint32_t n = 0; n < model->node_count; n++)
        add_of_node(set, &from, n, kinds[n]);
    set->volumes = mem_realloc(set->volumes, ((size_t)set->count + 1) * sizeof *set->volumes);
    list_places(set, model);
    list_balls(set);
    list_groups(set, model);
    free(kinds);
    free(from.places);
    led_fini(&from.led);
    return 0;
}

void hit_set_free(struct hit_set *set)
{
    if (set == NULL)
        return;
    free(set->volumes);
    free(set->skins);
    free(set->groups);
    free(set->nodes);
    free(set->balls);
    free(set->places);
    free(set);
}
