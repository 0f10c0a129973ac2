/* fbx_take.c - reads animation stacks of files from 7.0 on. */
#include "import/fbx_take/fbx_take.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of what fbx_take_spend() takes from, for each key value that a model may have: curves that stand still are read too.
 */
enum { WORK_PER_KEY = 4 };

/* --- lists --- */

void fbx_take_list_fini(struct fbx_take_list *list)
{
    free(list->takes);
    free(list->layers);
    free(list->drives);
    *list = (struct fbx_take_list){0};
}

/* Makes space for one more. */
static void *grown(void *items, uint64_t *capacity, uint32_t count, size_t item_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = 2 * *capacity + 16;
    return mem_realloc(items, *capacity * item_bytes);
}

struct fbx_take *fbx_add_take(struct fbx_take_list *list, struct fbx_span name)
{
    list->takes = grown(list->takes, &list->take_capacity, list->take_count, sizeof *list->takes);
    struct fbx_take *take = &list->takes[list->take_count++];
    *take = (struct fbx_take){
        .name = name, .stack = FBX_NONE, .layer_first = list->layer_count, .drive_first = list->drive_count};
    return take;
}

struct fbx_layer *fbx_add_layer(struct fbx_take_list *list)
{
    list->layers = grown(list->layers, &list->layer_capacity, list->layer_count, sizeof *list->layers);
    struct fbx_layer *layer = &list->layers[list->layer_count++];
    *layer = (struct fbx_layer){.blend = FBX_LAYER_ADD, .weight = 1, .weight_curve = FBX_NONE};
    list->takes[list->take_count - 1].layer_count++;
    return layer;
}

struct fbx_drive *fbx_add_drive(struct fbx_take_list *list, struct err *err)
{
    if (list->drive_count >= list->drive_limit) {
        err_set(err, ERR_MODEL_LIMIT, "its takes drive more than %llu properties",
                (unsigned long long)list->drive_limit);
        return NULL;
    }
    list->drives = grown(list->drives, &list->drive_capacity, list->drive_count, sizeof *list->drives);
    struct fbx_take *take = &list->takes[list->take_count - 1];
    struct fbx_drive *drive = &list->drives[list->drive_count++];
    *drive = (struct fbx_drive){
        .layer = take->layer_count - 1,
        .place = take->drive_count++,
        .curves = {FBX_NONE, FBX_NONE, FBX_NONE},
        .defaults = {(double)NAN, (double)NAN, (double)NAN},
    };
    return drive;
}

int fbx_take_spend(uint64_t *work_left, uint64_t amount, struct err *err)
{
    if (work_left == NULL)
        return 0;
    if (amount > *work_left)
        return err_set(err, ERR_MODEL_LIMIT, "its takes use the same layers and curves too often");
    *work_left -= amount;
    return 0;
}

static int by_object(const void *a, const void *b)
{
    const struct fbx_drive *i = a, *k = b;
    if (i->object != k->object)
        return (i->object > k->object) - (i->object < k->object);
    const int order = fbx_span_order(i->property, k->property);
    if (order != 0 || i->layer != k->layer)
        return order != 0 ? order : (i->layer > k->layer) - (i->layer < k->layer);
    return (i->place > k->place) - (i->place < k->place);
}

const struct fbx_drive *fbx_take_drives(const struct fbx_take_list *list, const struct fbx_take *take, uint32_t object,
                                        uint32_t *count)
{
    *count = 0;
    if (take->drive_count == 0)
        return NULL;
    const struct fbx_drive *drives = list->drives + take->drive_first;
    uint32_t low = 0, high = take->drive_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (drives[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + *count < take->drive_count && drives[low + *count].object == object)
        ++*count;
    return *count > 0 ? &drives[low] : NULL;
}

/* --- curve nodes --- */

/* The index of a curve by its property of the curve node: "d|Y" is 1, and any other name is the first
 * ("d|DeformPercent"). */
static uint32_t axis_of(struct fbx_span property)
{
    return fbx_span_is(property, "Y") || fbx_span_is(property, "d|Y")   ? 1
           : fbx_span_is(property, "Z") || fbx_span_is(property, "d|Z") ? 2
                                                                        : 0;
}

/* A curve node holds the property's default: d|X, d|Y and d|Z, or one with another name. */
static void read_defaults(const struct fbx_scene *scene, uint32_t node, struct fbx_drive *drive)
{
    struct fbx_property property;
    uint32_t cursor = FBX_NONE;
    bool has_x = false;
    while (fbx_property_next(scene, node, &cursor, &property)) {
        const uint32_t axis = axis_of(property.name);
        const bool is_x = fbx_span_is(property.name, "X") || fbx_span_is(property.name, "d|X");
        const bool is_other = property.name.size_bytes > 2 && memcmp(property.name.bytes, "d|", 2) == 0;
        has_x |= is_x;
        if (axis > 0 || is_x || (is_other && !has_x))
            drive->defaults[axis] =
                fbx_real(&scene->file, property.record, property.value_first, drive->defaults[axis]);
    }
}

static void read_curve_node(const struct fbx_scene *scene, uint32_t node, struct fbx_drive *drive)
{
    uint32_t count;
    read_defaults(scene, node, drive);
    const struct fbx_link *links = fbx_children(scene, node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (fbx_object_is(scene, links[i].child, "AnimationCurve", NULL) && links[i].property.size_bytes > 0)
            drive->curves[axis_of(links[i].property)] = scene->objects[links[i].child].record;
}

/* Adds a drive for each property that a curve node is linked to. */
static int add_curve_node(struct fbx_take_list *list, const struct fbx_scene *scene, uint32_t node, struct err *err)
{
    uint32_t count;
    const struct fbx_link *links = fbx_parents(scene, node, &count);
    const uint32_t first = list->drive_count;
    if (fbx_take_spend(&list->work_left, (uint64_t)count + scene->objects[node].child_link_count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].property.size_bytes == 0 || links[i].child_property.size_bytes > 0)
            continue;
        struct fbx_drive *drive = fbx_add_drive(list, err);
        if (drive == NULL)
            return err->code;
        drive->object = links[i].parent;
        drive->property = links[i].property;
        if (list->drive_count == first + 1) {
            read_curve_node(scene, node, drive);
        } else { /* driven by the same curves */
            memcpy(drive->curves, list->drives[first].curves, sizeof drive->curves);
            memcpy(drive->defaults, list->drives[first].defaults, sizeof drive->defaults);
        }
    }
    return 0;
}

/* --- layers --- */

static bool is_on(const struct fbx_scene *scene, uint32_t object, const char *name)
{
    int64_t value;
    return fbx_property_integer(scene, object, name, &value) && value != 0;
}

static void read_layer(const struct fbx_scene *scene, uint32_t object, struct fbx_layer *layer)
{
    enum { BLEND_ADD = 0, BLEND_PASS = 2 }; /* of the file */
    double percent = 100;
    int64_t blend = BLEND_ADD;
    fbx_property_real(scene, object, "Weight", &percent);
    fbx_property_integer(scene, object, "BlendMode", &blend);
    layer->weight = fbx_layer_weight(percent);
    layer->blend = blend == BLEND_ADD ? FBX_LAYER_ADD : blend == BLEND_PASS ? FBX_LAYER_PASS : FBX_LAYER_OVERRIDE;
    layer->turns_by_angle = is_on(scene, object, "RotationAccumulationMode");
    layer->adds_scales = is_on(scene, object, "ScaleAccumulationMode");
    layer->is_off = is_on(scene, object, "Mute");
}

static void drive_weight(struct fbx_layer *layer, const struct fbx_drive *drive)
{
    layer->weight_curve = drive->curves[0];
    if (drive->curves[0] == FBX_NONE && isfinite(drive->defaults[0]))
        layer->weight = fbx_layer_weight(drive->defaults[0]);
}

static int add_layer(struct fbx_take_list *list, const struct fbx_scene *scene, uint32_t object, struct err *err)
{
    const uint32_t layer = list->layer_count;
    if (fbx_take_spend(&list->work_left, scene->objects[object].child_link_count, err) < 0)
        return err->code;
    read_layer(scene, object, fbx_add_layer(list));
    const uint32_t drive_first = list->drive_count;
    uint32_t count;
    const struct fbx_link *links = fbx_children(scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].property.size_bytes == 0 && fbx_object_is(scene, links[i].child, "AnimationCurveNode", NULL) &&
            add_curve_node(list, scene, links[i].child, err) < 0)
            return err->code;
    for (uint32_t i = drive_first; i < list->drive_count; i++)
        if (list->drives[i].object == object && fbx_span_is(list->drives[i].property, "Weight"))
            drive_weight(&list->layers[layer], &list->drives[i]);
    return 0;
}

/* If a layer plays solo, the others do not play. */
static void silence(struct fbx_layer *layers, const bool *is_solo, uint32_t count)
{
    bool has_solo = false;
    for (uint32_t i = 0; i < count; i++)
        has_solo |= is_solo[i];
    for (uint32_t i = 0; i < count && has_solo; i++)
        layers[i].is_off |= !is_solo[i];
}

static int add_layers(struct fbx_take_list *list, const struct fbx_scene *scene, uint32_t stack, struct err *err)
{
    uint32_t count, found = 0;
    const struct fbx_link *links = fbx_children(scene, stack, &count);
    bool *is_solo = mem_zalloc((size_t)count + 1, sizeof *is_solo);
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        if (!fbx_object_is(scene, links[i].child, "AnimationLayer", NULL))
            continue;
        is_solo[found++] = is_on(scene, links[i].child, "Solo");
        rc = add_layer(list, scene, links[i].child, err);
    }
    if (rc == 0 && found > 0)
        silence(list->layers + list->takes[list->take_count - 1].layer_first, is_solo, found);
    free(is_solo);
    return rc;
}

/* --- times --- */

/* A take without times goes from 0 to its last key. If its two times are equal, it goes from there. */
static int key_times(struct fbx_take_list *list, const struct fbx_scene *scene, struct fbx_take *take, struct err *err)
{
    for (uint64_t i = 0; i < 3 * (uint64_t)take->drive_count; i++) {
        struct fbx_curve curve;
        const int rc = fbx_curve_read(&curve, scene, list->drives[take->drive_first + i / 3].curves[i % 3], err);
        if (rc < 0)
            return rc;
        const uint32_t key_count = curve.key_count;
        if (key_count > 0)
            take->range.stop = fmax(take->range.stop, curve.keys[key_count - 1].time);
        fbx_curve_fini(&curve);
        if (fbx_take_spend(&list->work_left, key_count, err) < 0)
            return err->code;
    }
    return 0;
}

/* --- takes --- */

static int add_stack(struct fbx_take_list *list, const struct fbx_scene *scene, struct fbx_take_records *takes,
                     uint32_t stack, struct err *err)
{
    struct fbx_take *take = fbx_add_take(list, scene->objects[stack].name);
    take->stack = stack;
    fbx_stack_times(scene, takes, stack, &take->range);
    return add_layers(list, scene, stack, err);
}

int fbx_take_list_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err)
{
    enum { VERSION_OF_STACKS = 7000 };
    const uint64_t key_limit = scene->import->limits->value[LIMIT_KEYS];
    *list = (struct fbx_take_list){.drive_limit = key_limit, .work_left = WORK_PER_KEY * key_limit + scene->link_count};
    struct fbx_take_records takes = {0};
    int rc = 0;
    for (uint32_t i = 0; i < scene->object_count && rc == 0; i++)
        if (fbx_object_is(scene, i, "AnimationStack", NULL))
            rc = add_stack(list, scene, &takes, i, err);
    free(takes.records);
    if (rc < 0)
        return rc;
    if (scene->file.version < VERSION_OF_STACKS && fbx_old_takes_read(list, scene, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < list->take_count; i++) {
        struct fbx_take *take = &list->takes[i];
        if (take->drive_count > 0)
            qsort(list->drives + take->drive_first, take->drive_count, sizeof *list->drives, by_object);
        if (!(take->range.stop > take->range.start) && key_times(list, scene, take, err) < 0)
            return err->code;
    }
    return 0;
}
