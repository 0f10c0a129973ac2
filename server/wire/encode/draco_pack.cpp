/* draco_pack.cpp - the C++ calls of libdraco. No exception escapes. */
#include "wire/encode/draco_pack.h"

#include <cstdlib>
#include <cstring>
#include <exception>

#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

namespace
{

draco::DataType type_of(const draco_attribute &attribute)
{
    return attribute.component_type == 5121   ? draco::DT_UINT8
           : attribute.component_type == 5123 ? draco::DT_UINT16
                                              : draco::DT_FLOAT32;
}

void add_attribute(draco::Mesh &mesh, const draco_attribute &from)
{
    static const draco::GeometryAttribute::Type KINDS[] = {
        draco::GeometryAttribute::POSITION, draco::GeometryAttribute::NORMAL, draco::GeometryAttribute::COLOR,
        draco::GeometryAttribute::TEX_COORD, draco::GeometryAttribute::GENERIC};
    const draco::DataType type = type_of(from);
    const uint32_t width = from.row_bytes / static_cast<uint32_t>(draco::DataTypeLength(type));
    draco::GeometryAttribute attribute;
    attribute.Init(KINDS[from.kind], nullptr, static_cast<uint8_t>(width), type, from.is_normalized, from.row_bytes, 0);
    const int id = mesh.AddAttribute(attribute, true, mesh.num_points());
    const uint8_t *rows = static_cast<const uint8_t *>(from.rows);
    for (draco::AttributeValueIndex row(0); row < mesh.num_points(); ++row)
        mesh.attribute(id)->SetAttributeValue(row, rows + static_cast<size_t>(row.value()) * from.row_bytes);
}

} // namespace

uint8_t *draco_pack(const struct draco_attribute *attributes, uint32_t attribute_count, uint32_t vertex_count,
                    const uint32_t *indices, uint32_t triangle_count, size_t *size_bytes)
try {
    draco::Mesh mesh;
    mesh.set_num_points(vertex_count);
    for (uint32_t a = 0; a < attribute_count; a++)
        add_attribute(mesh, attributes[a]);
    mesh.SetNumFaces(triangle_count);
    for (uint32_t t = 0; t < triangle_count; t++) {
        draco::Mesh::Face face;
        for (size_t corner = 0; corner < 3; corner++)
            face[corner] = indices[3 * static_cast<size_t>(t) + corner];
        mesh.SetFace(draco::FaceIndex(t), face);
    }
    draco::ExpertEncoder encoder(mesh);
    encoder.SetEncodingMethod(draco::MESH_SEQUENTIAL_ENCODING); /* the other method reorders vertices */
    encoder.options().SetGlobalBool("compress_connectivity", true);
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeToBuffer(&buffer).ok())
        return nullptr;
    uint8_t *out = static_cast<uint8_t *>(std::malloc(buffer.size()));
    if (out != nullptr)
        std::memcpy(out, buffer.data(), buffer.size());
    *size_bytes = buffer.size();
    return out;
} catch (const std::exception &) {
    return nullptr;
}
