/* x3d_scene.c - converts grouping nodes, transforms and shapes to nodes and meshes. */
#include "import/x3d/x3d.h"

#include "anim/model/mat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USE_DEPTH_MAX = 512 };

static const char GROUPS[] =
    "Scene Group StaticGroup Transform Switch LOD Anchor Collision Billboard CADAssembly CADFace "
    "CADLayer CADPart HAnimHumanoid HAnimJoint HAnimSegment HAnimSite LayerSet Layer Viewport";
/* Elements that a static model does not need and whose absence needs no warning. */
static const char SILENT[] =
    "Background TextureBackground NavigationInfo Viewpoint OrthoViewpoint ViewpointGroup WorldInfo Fog LocalFog "
    "DirectionalLight PointLight SpotLight EnvironmentLight MetadataBoolean MetadataDouble MetadataFloat "
    "MetadataInteger MetadataSet MetadataString ProtoDeclare ExternProtoDeclare IMPORT EXPORT ROUTE";
static const char CLIPS[] = "PositionInterpolator OrientationInterpolator CoordinateInterpolator ScalarInterpolator "
                            "ColorInterpolator NormalInterpolator CoordinateInterpolator2D PositionInterpolator2D "
                            "SplinePositionInterpolator SplinePositionInterpolator2D SplineScalarInterpolator "
                            "SquadOrientationInterpolator HAnimMotion";

/* Fields whose nodes are not drawn: they are drawn elsewhere, or take the place of what is drawn. */
static const char UNDRAWN[] = "proxy joints segments sites viewpoints skinCoord skinNormal skinBindingCoords "
                              "skinBindingNormals motions metadata";

static void warn_of(struct x3d *x3d, uint32_t element)
{
    struct bake_builder *builder = x3d->import->builder;
    const char *tag = xml_tag(&x3d->xml, element);
    if (xml_is(&x3d->xml, element, CLIPS))
        bake_warn(builder, "clips_not_read", "motion of X3D files is not read: the model stands still");
    else if (xml_is(&x3d->xml, element, "Inline"))
        bake_warn(builder, "inline_ignored", "%s: the file that it shows is not read", X3D_WHERE(x3d, element));
    else if (!xml_is(&x3d->xml, element, SILENT))
        bake_warn(builder, "elements_ignored", "elements <%.60s> are not read", tag);
}

/* --- transforms --- */

static struct dmat4 rotation_of(const double turn[4])
{
    struct trs trs = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    double axis[3] = {turn[0], turn[1], turn[2]};
    if (unit3(axis) > 0) {
        for (int k = 0; k < 3; k++)
            trs.rotation[k] = axis[k] * sin(turn[3] / 2);
        trs.rotation[3] = cos(turn[3] / 2);
    }
    return dmat4_from_trs(&trs);
}

static struct dmat4 moved(const double by[3], double sign)
{
    struct dmat4 m = DMAT4_IDENTITY;
    for (int k = 0; k < 3; k++)
        m.m[12 + k] = sign * by[k];
    return m;
}

/* 19775-1, 10.4.4: T * C * R * SR * S * -SR * -C. */
static int transform_of(const struct x3d *x3d, uint32_t element, struct dmat4 *out, struct err *err)
{
    double center[3] = {0}, rotation[4] = {0, 0, 1, 0}, scale[3] = {1, 1, 1}, orientation[4] = {0, 0, 1, 0},
           translation[3] = {0};
    if (x3d_get_numbers(x3d, element, "center", center, 3, err) < 0 ||
        x3d_get_numbers(x3d, element, "rotation", rotation, 4, err) < 0 ||
        x3d_get_numbers(x3d, element, "scale", scale, 3, err) < 0 ||
        x3d_get_numbers(x3d, element, "scaleOrientation", orientation, 4, err) < 0 ||
        x3d_get_numbers(x3d, element, "translation", translation, 3, err) < 0)
        return err->code;
    const double back[4] = {orientation[0], orientation[1], orientation[2], -orientation[3]};
    struct dmat4 scaled = DMAT4_IDENTITY;
    for (int k = 0; k < 3; k++)
        scaled.m[5 * k] = scale[k];
    const struct dmat4 parts[] = {moved(center, 1), rotation_of(rotation), rotation_of(orientation),
                                  scaled,           rotation_of(back),     moved(center, -1)};
    *out = moved(translation, 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *out = dmat4_mul(out, &parts[i]);
    return 0;
}

static int set_transform(struct x3d *x3d, uint32_t element, struct node *node, struct err *err)
{
    struct dmat4 m = DMAT4_IDENTITY;
    struct trs trs;
    if (xml_is(&x3d->xml, element, "Transform HAnimHumanoid HAnimJoint HAnimSite") &&
        transform_of(x3d, element, &m, err) < 0)
        return err->code;
    if (trs_from_dmat4(&m, &trs)) {
        for (int k = 0; k < 3; k++) {
            node->translation[k] = (float)trs.translation[k];
            node->scale[k] = (float)trs.scale[k];
        }
        for (int k = 0; k < 4; k++)
            node->rotation[k] = (float)trs.rotation[k];
        return 0;
    }
    const struct mat4 matrix = mat4_from_dmat4(&m);
    node->matrix = (int32_t)x3d->import->builder->node_matrix_count;
    return import_put_node_matrix(x3d->import, &matrix, err);
}

/* --- shapes --- */

static struct corner_values values_of(const double *values, const uint32_t *of_corner)
{
    return (struct corner_values){values, of_corner};
}

static int add_surface(struct x3d *x3d, uint32_t shape, uint32_t geometry, uint32_t mesh, struct err *err)
{
    struct x3d_surface surface = {.crease_cosine = 1};
    int rc = x3d_geometry(x3d, geometry, &surface, err);
    const uint32_t appearance = x3d_child(&x3d->xml, shape, "Appearance");
    const int material = rc < 0 ? rc : x3d_material(x3d, appearance, surface.colors != NULL, err);
    if (rc == 0 && material < 0)
        rc = material;
    if (rc == 0 && surface.polygon_count > 0) {
        const struct polygon_mesh from = {
            .polygons = {(const double(*)[3])surface.points, surface.corners, surface.starts, surface.point_count,
                         surface.polygon_count},
            .topology = surface.topology,
            .is_clockwise = surface.is_clockwise,
            .smoothing = {.kind = SMOOTHING_BY_CREASE, .crease_cosine = surface.crease_cosine},
            .normals = values_of(surface.normals, surface.normal_of),
            .texcoords = values_of(surface.texcoords, surface.texcoord_of),
            .colors = values_of(surface.colors, surface.color_of),
        };
        rc = polygon_mesh_add(x3d->import, &from, mesh, material, X3D_WHERE(x3d, geometry), err);
    }
    x3d_surface_fini(&surface);
    return rc;
}

/* Returns the mesh of a Shape, which its USEs share; -1 if it has no supported geometry; an ERR_ is less than -1. */
static int shape_mesh(struct x3d *x3d, uint32_t shape, struct err *err)
{
    if (x3d->mesh_of[shape] >= 0)
        return x3d->mesh_of[shape];
    uint32_t geometry = XML_NONE;
    for (uint32_t e = xml_child(&x3d->xml, shape, NULL); e != XML_NONE; e = xml_next(&x3d->xml, e, NULL)) {
        const uint32_t used = x3d_used(&x3d->xml, e);
        if (used != XML_NONE && x3d_is_geometry(x3d, used))
            geometry = used;
        else if (!xml_is(&x3d->xml, e, "Appearance"))
            warn_of(x3d, e);
    }
    if (geometry == XML_NONE)
        return -1;
    struct bake_builder *builder = x3d->import->builder;
    const struct mesh mesh = {.name = bake_textz(builder, xml_get(&x3d->xml, geometry, "DEF")),
                              .primitive_first = builder->primitive_count};
    const int index = (int)builder->mesh_count;
    if (import_put_mesh(x3d->import, &mesh, err) < 0 || add_surface(x3d, shape, geometry, (uint32_t)index, err) < 0)
        return err->code;
    x3d->mesh_of[shape] = index;
    return index;
}

/* --- the tree --- */

/* Returns the visible child of a Switch or LOD; -1 for all children, -2 for none. */
static int64_t shown_child(const struct x3d *x3d, uint32_t element)
{
    if (xml_is(&x3d->xml, element, "LOD"))
        return 0;
    if (!xml_is(&x3d->xml, element, "Switch"))
        return -1;
    const char *choice = xml_get(&x3d->xml, element, "whichChoice");
    const long value = choice == NULL ? -1 : strtol(choice, NULL, 10);
    return value < 0 ? -2 : value;
}

static int add_children(struct x3d *x3d, uint32_t element, int32_t parent, uint32_t depth, struct err *err);

static int add_node(struct x3d *x3d, uint32_t element, int32_t parent, uint32_t depth, struct err *err)
{
    struct bake_builder *builder = x3d->import->builder;
    const uint32_t n = builder->node_count;
    const bool is_shape = xml_is(&x3d->xml, element, "Shape");
    struct node node = {.name = bake_textz(builder, xml_get(&x3d->xml, element, "DEF")),
                        .parent = parent,
                        .mesh = -1,
                        .skin = -1,
                        .matrix = -1,
                        .rotation = {0, 0, 0, 1},
                        .scale = {1, 1, 1}};
    /* the depth limit also ends a USE within its own DEF */
    if (depth > USE_DEPTH_MAX)
        return err_set(err, ERR_MODEL_LIMIT, "%s: nodes are nested more than %d deep", X3D_WHERE(x3d, element),
                       USE_DEPTH_MAX);
    if (import_check_limit(x3d->import, LIMIT_NODES, n, 1, X3D_WHERE(x3d, element), err) < 0 ||
        set_transform(x3d, element, &node, err) < 0)
        return err->code;
    const int mesh = is_shape ? shape_mesh(x3d, element, err) : -1;
    if (mesh < -1)
        return mesh;
    node.mesh = mesh;
    if (import_put_node(x3d->import, &node, err) < 0 || (parent < 0 && import_put_root(x3d->import, &n, err) < 0))
        return err->code;
    return is_shape ? 0 : add_children(x3d, element, (int32_t)n, depth + 1, err);
}

static int add_children(struct x3d *x3d, uint32_t element, int32_t parent, uint32_t depth, struct err *err)
{
    const int64_t shown = shown_child(x3d, element);
    int64_t number = 0;
    for (uint32_t e = xml_child(&x3d->xml, element, NULL); e != XML_NONE; e = xml_next(&x3d->xml, e, NULL)) {
        const char *field = xml_get(&x3d->xml, e, "containerField");
        if (field != NULL && xml_is_one_of(field, UNDRAWN))
            continue;
        const uint32_t used = x3d_used(&x3d->xml, e);
        const bool is_node = xml_is(&x3d->xml, e, GROUPS) || xml_is(&x3d->xml, e, "Shape");
        if (used == XML_NONE) {
            bake_warn(x3d->import->builder, "elements_ignored", "%s: nothing before it has the DEF that it uses",
                      X3D_WHERE(x3d, e));
            continue;
        }
        const bool is_shown = shown == -1 || shown == number;
        number += !xml_is(&x3d->xml, e, SILENT);
        if (!is_node)
            warn_of(x3d, e);
        else if (is_shown && add_node(x3d, used, parent, depth, err) < 0)
            return err->code;
    }
    return 0;
}

int x3d_scene(struct x3d *x3d, uint32_t scene, struct err *err)
{
    if (add_children(x3d, scene, -1, 0, err) < 0)
        return err->code;
    if (x3d->import->builder->primitive_count == 0)
        return err_set(err, ERR_BAD_MODEL, "the file has no shape that could be shown");
    return 0;
}
