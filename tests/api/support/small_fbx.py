"""A text FBX of two nodes, a material and a take, with typical additions of users: properties of their own and markers on the timeline."""

TICKS_PER_S = 46186158000


def properties(lines, indent="\t\t"):
    return f"{indent}Properties70:  {{\n" + "".join(f"{indent}\t{line}\n" for line in lines) + f"{indent}}}\n"


def fbx(markers=(), span=(1, 3), hip=(), leg=(), material=(), take=(), leg_name="leg", moved="Lcl Translation", body_below=0):
    """`markers`: (key, seconds); `span`: of the take, in seconds; `moved`: a property of the hip, whose x moves from 1
    at the take's start to 5 at its end; `body_below`: 10, the hip, or 11, the leg; the rest: lines of properties."""
    start, stop = (round(one * TICKS_PER_S) for one in span)
    timeline = [f'P: "TimeMarker|{key}|Time", "KTime", "Time", "",{round(time * TICKS_PER_S)}' for key, time in markers]
    head = properties(['P: "UpAxis", "int", "Integer", "",1', 'P: "TimeMarker", "Compound", "", ""', *timeline], "\t")
    hip = ['P: "Lcl Translation", "Lcl Translation", "", "A",1,2,3', *hip]
    local = [f'P: "LocalStart", "KTime", "Time", "",{start}', f'P: "LocalStop", "KTime", "Time", "",{stop}', *take]
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
\tFBXHeaderVersion: 1003
\tFBXVersion: 7400
}}
GlobalSettings:  {{
\tVersion: 1000
{head}}}
Objects:  {{
\tModel: 10, "Model::hip", "Null" {{
\t\tVersion: 232
{properties(hip)}\t}}
\tModel: 11, "Model::{leg_name}", "Null" {{
\t\tVersion: 232
{properties(leg)}\t}}
\tGeometry: 12, "Geometry::", "Mesh" {{
\t\tVertices: *9 {{
\t\t\ta: 0,0,0,1,0,0,0,1,0
\t\t}}
\t\tPolygonVertexIndex: *3 {{
\t\t\ta: 0,1,-3
\t\t}}
\t\tLayerElementMaterial: 0 {{
\t\t\tMappingInformationType: "AllSame"
\t\t\tReferenceInformationType: "IndexToDirect"
\t\t\tMaterials: *1 {{
\t\t\t\ta: 0
\t\t\t}}
\t\t}}
\t\tLayer: 0 {{
\t\t\tVersion: 100
\t\t\tLayerElement:  {{
\t\t\t\tType: "LayerElementMaterial"
\t\t\t\tTypedIndex: 0
\t\t\t}}
\t\t}}
\t}}
\tMaterial: 13, "Material::wool", "" {{
\t\tVersion: 102
\t\tShadingModel: "lambert"
{properties(material)}\t}}
\tModel: 14, "Model::body", "Mesh" {{
\t\tVersion: 232
{properties([])}\t}}
\tAnimationStack: 20, "AnimStack::run", "" {{
{properties(local)}\t}}
\tAnimationLayer: 21, "AnimLayer::base", "" {{
\t}}
\tAnimationCurveNode: 22, "AnimCurveNode::T", "" {{
{properties(['P: "d|X", "Number", "", "A",1'])}\t}}
\tAnimationCurve: 23, "AnimCurve::", "" {{
\t\tDefault: 0
\t\tKeyVer: 4008
\t\tKeyTime: *2 {{
\t\t\ta: {start},{stop}
\t\t}}
\t\tKeyValueFloat: *2 {{
\t\t\ta: 1,5
\t\t}}
\t\tKeyAttrFlags: *1 {{
\t\t\ta: 24836
\t\t}}
\t\tKeyAttrDataFloat: *4 {{
\t\t\ta: 0,0,0,0
\t\t}}
\t\tKeyAttrRefCount: *1 {{
\t\t\ta: 2
\t\t}}
\t}}
}}
Connections:  {{
\tC: "OO",10,0
\tC: "OO",11,10
\tC: "OO",14,{body_below}
\tC: "OO",12,14
\tC: "OO",13,14
\tC: "OO",21,20
\tC: "OO",22,21
\tC: "OP",22,10, "{moved}"
\tC: "OP",23,22, "d|X"
}}
"""
