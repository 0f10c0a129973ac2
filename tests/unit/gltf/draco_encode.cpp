#include "tests/unit/gltf/draco_encode.h"

#include <cstring>

#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>

static void add(draco::Mesh &mesh, draco::GeometryAttribute::Type kind, draco::DataType type, size_t row_bytes,
                uint8_t width, const void *rows)
{
    draco::GeometryAttribute attribute;
    attribute.Init(kind, nullptr, width, type, false, static_cast<int64_t>(row_bytes), 0);
    const int id = mesh.AddAttribute(attribute, true, mesh.num_points());
    for (draco::AttributeValueIndex row(0); row < mesh.num_points(); ++row)
        mesh.attribute(id)->SetAttributeValue(row, static_cast<const uint8_t *>(rows) + row.value() * row_bytes);
}

size_t draco_encode(const struct draco_source *source, uint8_t *out, size_t out_size)
{
    draco::Mesh mesh;
    mesh.set_num_points(source->vertices);
    add(mesh, draco::GeometryAttribute::POSITION, draco::DT_FLOAT32, 12, 3, source->positions);
    add(mesh, draco::GeometryAttribute::GENERIC, draco::DT_UINT16, 8, 4, source->joints);
    add(mesh, draco::GeometryAttribute::GENERIC, draco::DT_FLOAT32, 16, 4, source->weights);
    for (uint32_t t = 0; t < source->triangles; t++) {
        draco::Mesh::Face face;
        for (size_t corner = 0; corner < 3; corner++)
            face[corner] = source->indices[3 * t + corner];
        mesh.AddFace(face);
    }
    draco::Encoder encoder;
    encoder.SetEncodingMethod(source->is_edgebreaker ? draco::MESH_EDGEBREAKER_ENCODING
                                                     : draco::MESH_SEQUENTIAL_ENCODING);
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok() || buffer.size() > out_size)
        return 0;
    std::memcpy(out, buffer.data(), buffer.size());
    return buffer.size();
}
