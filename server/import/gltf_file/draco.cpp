/* draco.cpp - decodes one mesh with libdraco. It reads the mesh's header before it decodes anything. Layout of the
 * first bytes: Draco bitstream specification 2.2, "Draco Decoder", "Sequential Connectivity Decoder" and "EdgeBreaker
 * Decoder". */
#include "import/gltf_file/draco.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>

#include <draco/compression/decode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>
#include <draco/metadata/geometry_metadata.h>
#include <draco/metadata/metadata_decoder.h>

struct draco_mesh {
    std::unique_ptr<draco::Mesh> mesh;
};

namespace
{

struct sizes {
    uint32_t faces;
    uint64_t points; /* at most */
};

/* Reads the sizes for which the decoder will allocate, without decoding. */
bool read_sizes(const uint8_t *bytes, size_t size_bytes, sizes &out)
{
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), size_bytes);
    draco::DracoHeader header;
    if (!draco::PointCloudDecoder::DecodeHeader(&buffer, &header).ok() ||
        header.encoder_type != draco::TRIANGULAR_MESH || header.version_major != 2 || header.version_minor != 2)
        return false;
    buffer.set_bitstream_version(draco::kDracoMeshBitstreamVersion);
    if (header.flags & METADATA_FLAG_MASK) {
        draco::GeometryMetadata metadata;
        if (!draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &metadata))
            return false;
    }
    uint32_t vertices = 0;
    if (header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING) {
        if (!draco::DecodeVarint(&out.faces, &buffer) || !draco::DecodeVarint(&vertices, &buffer))
            return false;
        out.points = vertices;
        return true;
    }
    uint8_t traversal = 0, attributes = 0;
    uint32_t symbols = 0, split_symbols = 0;
    if (!buffer.Decode(&traversal) || !draco::DecodeVarint(&vertices, &buffer) ||
        !draco::DecodeVarint(&out.faces, &buffer) || !buffer.Decode(&attributes) ||
        !draco::DecodeVarint(&symbols, &buffer) || !draco::DecodeVarint(&split_symbols, &buffer))
        return false;
    out.points = static_cast<uint64_t>(vertices) + split_symbols;
    return true;
}

/* libdraco checks face indices for only one of its two encodings. */
bool has_good_faces(const draco::Mesh &mesh)
{
    for (draco::FaceIndex f(0); f < mesh.num_faces(); ++f)
        for (int corner = 0; corner < 3; corner++)
            if (mesh.face(f)[static_cast<size_t>(corner)] >= mesh.num_points())
                return false;
    return true;
}

template <typename T> double get(const uint8_t *bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
}

/* NaN for types that glTF does not use. */
double load(const uint8_t *bytes, draco::DataType type)
{
    switch (type) {
    case draco::DT_INT8:
        return get<int8_t>(bytes);
    case draco::DT_UINT8:
        return get<uint8_t>(bytes);
    case draco::DT_INT16:
        return get<int16_t>(bytes);
    case draco::DT_UINT16:
        return get<uint16_t>(bytes);
    case draco::DT_INT32:
        return get<int32_t>(bytes);
    case draco::DT_UINT32:
        return get<uint32_t>(bytes);
    case draco::DT_FLOAT32:
        return get<float>(bytes);
    default:
        return std::numeric_limits<double>::quiet_NaN();
    }
}

template <typename T> bool put(double value, uint8_t *&out)
{
    const bool is_integer = std::numeric_limits<T>::is_integer;
    if (is_integer && !(value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                        value <= static_cast<double>(std::numeric_limits<T>::max()) && value == std::floor(value)))
        return false;
    const T stored = static_cast<T>(value);
    std::memcpy(out, &stored, sizeof stored);
    out += sizeof stored;
    return true;
}

/* Indexed by glTF's number of the component type. */
bool store(double value, uint32_t component_type, uint8_t *&out)
{
    switch (component_type) {
    case 5120:
        return put<int8_t>(value, out);
    case 5121:
        return put<uint8_t>(value, out);
    case 5122:
        return put<int16_t>(value, out);
    case 5123:
        return put<uint16_t>(value, out);
    case 5125:
        return put<uint32_t>(value, out);
    default:
        return put<float>(value, out);
    }
}

/* The bytes of a point's row, or NULL if the attribute does not have them. */
const uint8_t *find_row(const draco::PointAttribute &attribute, draco::PointIndex point, size_t row_bytes)
{
    const draco::AttributeValueIndex value = attribute.mapped_index(point);
    if (value >= static_cast<uint32_t>(attribute.size()))
        return nullptr;
    const int64_t offset = attribute.GetBytePos(value);
    if (offset < 0 || static_cast<uint64_t>(offset) + row_bytes > attribute.buffer()->data_size())
        return nullptr;
    return attribute.buffer()->data() + offset;
}

} // namespace

int draco_mesh_new(const uint8_t *bytes, size_t size_bytes, uint64_t points_max, uint64_t faces_max,
                   struct draco_mesh **out, struct err *err)
try {
    sizes claimed = {};
    if (!read_sizes(bytes, size_bytes, claimed))
        return err_set(err, ERR_BAD_MODEL, "no header of a Draco 2.2 mesh");
    if (claimed.faces > faces_max || claimed.points > points_max)
        return err_set(err, ERR_MODEL_LIMIT, "more faces or points than a model may have");
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), size_bytes);
    draco::StatusOr<std::unique_ptr<draco::Mesh>> decoded = draco::Decoder().DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok())
        return err_set(err, ERR_BAD_MODEL, "%s", decoded.status().error_msg());
    std::unique_ptr<draco_mesh> mesh(new draco_mesh{std::move(decoded).value()});
    if (!has_good_faces(*mesh->mesh))
        return err_set(err, ERR_BAD_MODEL, "a face names a point that is not there");
    if (mesh->mesh->num_points() > points_max || mesh->mesh->num_faces() > faces_max)
        return err_set(err, ERR_MODEL_LIMIT, "more faces or points than a model may have");
    *out = mesh.release();
    return 0;
} catch (const std::bad_alloc &) {
    return err_set(err, ERR_IMPORT_MEMORY, "out of memory");
} catch (const std::exception &exception) {
    return err_set(err, ERR_BAD_MODEL, "%s", exception.what());
}

void draco_mesh_free(struct draco_mesh *mesh) { delete mesh; }

uint32_t draco_mesh_points(const struct draco_mesh *mesh) { return mesh->mesh->num_points(); }

uint32_t draco_mesh_faces(const struct draco_mesh *mesh) { return static_cast<uint32_t>(mesh->mesh->num_faces()); }

void draco_mesh_indices(const struct draco_mesh *mesh, uint32_t *out)
{
    for (draco::FaceIndex f(0); f < mesh->mesh->num_faces(); ++f)
        for (size_t corner = 0; corner < 3; corner++)
            *out++ = mesh->mesh->face(f)[corner].value();
}

int draco_mesh_rows(const struct draco_mesh *mesh, uint32_t id, uint32_t component_type, uint32_t width, void *out,
                    struct err *err)
{
    const draco::PointAttribute *attribute = mesh->mesh->GetAttributeByUniqueId(id);
    if (attribute == nullptr)
        return err_set(err, ERR_BAD_MODEL, "the mesh has no attribute of this id");
    if (attribute->num_components() != width)
        return err_set(err, ERR_BAD_MODEL, "the attribute has another number of components");
    const int32_t step = draco::DataTypeLength(attribute->data_type());
    if (step <= 0)
        return err_set(err, ERR_BAD_MODEL, "the attribute has no component type");
    uint8_t *next = static_cast<uint8_t *>(out);
    for (draco::PointIndex point(0); point < mesh->mesh->num_points(); ++point) {
        const uint8_t *row = find_row(*attribute, point, static_cast<size_t>(step) * width);
        if (row == nullptr)
            return err_set(err, ERR_BAD_MODEL, "the attribute has fewer rows than the mesh has points");
        for (uint32_t i = 0; i < width; i++)
            if (!store(load(row + static_cast<size_t>(step) * i, attribute->data_type()), component_type, next))
                return err_set(err, ERR_BAD_MODEL, "a value does not fit the accessor's component type");
    }
    return 0;
}
