/* server/wire/request/request.h: why targets are refused. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <string.h>

static const struct row {
    const char *target;
    int code;
    const char *part; /* of the message */
} REFUSED[] = {
    {"", ERR_NOT_FOUND, "no resource"},
    {"*", ERR_NOT_FOUND, "no resource '*'"},
    {"/v1", ERR_NOT_FOUND, "'/v1'"},
    {"/v1/palettes?model=a", ERR_NOT_FOUND, "did you mean '/v1/palette'?"},
    {"/v1/Pose", ERR_NOT_FOUND, "did you mean '/v1/pose'?"},
    {"/V1/%00", ERR_NOT_FOUND, "/V1/%00"},
    {"//v1/pose", ERR_NOT_FOUND, "did you mean '/v1/pose'?"},

    {"/healthz?x=1", ERR_UNKNOWN_PARAMETER, "/healthz takes none"},
    {"/v1/render?model=a&wdth=3", ERR_UNKNOWN_PARAMETER, "unknown parameter 'wdth'; did you mean 'width'?"},
    {"/v1/pose?model=a&width=3", ERR_UNKNOWN_PARAMETER, "/v1/pose does not take 'width'; it belongs to /v1/render"},
    {"/v1/render?model=a&format=bin", ERR_BAD_PARAMETER, "png, json, jpeg, webp, npz or exr"},
    {"/v1/render?model=a&size=100", ERR_UNKNOWN_PARAMETER, "/v1/render takes model, hash, estimate, clip, "},
    {"/v1/sheet?model=a&VIEW=lit", ERR_UNKNOWN_PARAMETER, "'VIEW'; names are in lower case: did you mean 'view'?"},
    {"/v1/sheet?model=a&PROJEKTION=level", ERR_UNKNOWN_PARAMETER,
     "unknown parameter 'PROJEKTION'; did you mean 'projection'?"},
    {"/v1/turntable?model=a&rate=5", ERR_UNKNOWN_PARAMETER, "it belongs to /v1/bounds, /v1/sheet"},
    {"/v1/models?zzz", ERR_UNKNOWN_PARAMETER, "/v1/models takes prefix, limit, after, folders"},
    {"/v1/pose?model=a&=3", ERR_UNKNOWN_PARAMETER, "unknown parameter ''"},
    {"/v1/pose?model=a&T=3", ERR_UNKNOWN_PARAMETER, "did you mean 't'?"},
    {"/v1/pose?model=a&a%zz=3", ERR_BAD_PARAMETER, "name: bad percent-escape '%zz'"},

    {"/v1/pose?model=a&route=a&route=a", ERR_DUPLICATE_PARAMETER, "'route' is given twice"},
    {"/healthz?route=a&%72oute=b", ERR_DUPLICATE_PARAMETER, "'route' is given twice"},
    {"/v1/pose?model=a&route=%zz", ERR_BAD_PARAMETER, "'route': bad percent-escape"},
    {"/v1/pose?model=a&route=%ff", ERR_BAD_PARAMETER, "'route': not valid UTF-8"},
    {"/v1/pose?model=a&ROUTE=a", ERR_UNKNOWN_PARAMETER, "'ROUTE'"},
    {"/v1/pose?model=a&model=a", ERR_DUPLICATE_PARAMETER, "'model' is given twice"},
    {"/v1/pose?model=a&wrap=loop&wrap=loop", ERR_DUPLICATE_PARAMETER, "'wrap' is given twice"},
    {"/v1/pose?model=a&clip=1&clip_name=a", ERR_DUPLICATE_PARAMETER, "clip_name"},
    {"/v1/pose?model=a&clip_name=a&clip=-", ERR_DUPLICATE_PARAMETER, "clip_name"},

    {"/v1/mesh?model=a&mesh=1&mesh_name=a", ERR_DUPLICATE_PARAMETER, "mesh_name"},
    {"/v1/bounds?model=a&mesh_name=a&mesh=1", ERR_DUPLICATE_PARAMETER, "mesh_name"},
    {"/v1/palette?model=a&mesh_name=1", ERR_BAD_PARAMETER, "needs space=mesh"},
    {"/v1/pose?model=a&format=glb", ERR_BAD_PARAMETER, "it must be json or bin"},
    {"/v1/mesh?model=a&format=gltf", ERR_BAD_PARAMETER, "it must be json, bin or glb"},
    {"/v1/mesh?model=a&format=glb&t=0,1", ERR_BAD_PARAMETER, "'t' names 2 times; a GLB file holds the mesh at one"},
    {"/v1/mesh?model=a&format=glb&rest=1", ERR_BAD_PARAMETER, "'rest' does not go with format=glb"},
    {"/v1/mesh?model=a&textures=keep", ERR_BAD_PARAMETER, "'textures' needs format=glb"},
    {"/v1/mesh?model=a&format=glb&textures=2", ERR_BAD_PARAMETER, "'textures' is '2'"},
    {"/v1/export?model=a&textures=0", ERR_BAD_PARAMETER, "it must be keep, png, jpeg, webp or none"},
    {"/v1/mesh?model=a&quality=9", ERR_BAD_PARAMETER, "'quality' needs format=glb"},
    {"/v1/mesh?model=a&format=glb&quality=9", ERR_BAD_PARAMETER, "'quality' needs textures=jpeg"},
    {"/v1/export?model=a&textures=png&quality=9", ERR_BAD_PARAMETER, "'quality' does not go with textures=png"},
    {"/v1/export?model=a&textures=none&max_texture=9", ERR_BAD_PARAMETER,
     "'max_texture' does not go with textures=none"},
    {"/v1/export?model=a&max_texture=0", ERR_BAD_PARAMETER, "whole number from 1 to 16384"},
    {"/v1/export?model=a&textures=jpeg&quality=101", ERR_BAD_PARAMETER, "whole number from 1 to 100"},
    {"/v1/export?model=a&format=posed&quality=9", ERR_BAD_PARAMETER, "'quality' does not go with format=posed"},
    {"/v1/texture?model=a&texture=0&textures=none", ERR_BAD_PARAMETER, "it must be keep, png, jpeg or webp"},

    {"/v1/pose", ERR_MISSING_PARAMETER, "/v1/pose needs the parameter 'model'"},
    {"/v1/render?width=3", ERR_MISSING_PARAMETER, "'model'"},

    {"/v1/model?model=", ERR_BAD_PATH, "is empty"},
    {"/v1/model?model", ERR_BAD_PATH, "is empty"},
    {"/v1/model?model=/etc/passwd", ERR_BAD_PATH, "absolute"},
    {"/v1/model?model=%2fetc/passwd", ERR_BAD_PATH, "absolute"},
    {"/v1/model?model=../a", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=a/..", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=a/%2e%2e/b", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=./a", ERR_BAD_PATH, "'.'"},
    {"/v1/model?model=a//b", ERR_BAD_PATH, "empty part"},
    {"/v1/model?model=a/", ERR_BAD_PATH, "empty part"},
    {"/v1/model?model=a%00b", ERR_BAD_PATH, "NUL"},
    {"/v1/model?model=a%ffb", ERR_BAD_PATH, "UTF-8"},
    {"/v1/model?model=a%zz", ERR_BAD_PATH, "'%zz'"},

    {"/v1/pose?model=a&hash=12", ERR_BAD_PARAMETER, "64 hex digits"},
    {"/v1/pose?model=a&hash=g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", ERR_BAD_PARAMETER,
     "64 hex"},
    {"/v1/pose?model=a&clip=", ERR_BAD_PARAMETER, "clip_name= takes an empty name"},
    {"/v1/pose?model=a&clip=4294967296", ERR_BAD_PARAMETER, "clip_name= takes a name of digits"},
    {"/v1/pose?model=a&joints=a,,b", ERR_BAD_PARAMETER, "'joints' has an empty entry"},
    {"/v1/pose?model=a&t=", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=abc", ERR_BAD_PARAMETER, "'t' has 'abc'"},
    {"/v1/pose?model=a&t=nan", ERR_BAD_PARAMETER, "'nan'"},
    {"/v1/pose?model=a&t=inf", ERR_BAD_PARAMETER, "'inf'"},
    {"/v1/pose?model=a&t=1e999", ERR_BAD_PARAMETER, "finite"},
    {"/v1/pose?model=a&t=1,", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=+1", ERR_BAD_PARAMETER, "' 1'"},
    {"/v1/pose?model=a&t=0x10", ERR_BAD_PARAMETER, "'0x10'"},
    {"/v1/pose?model=a&t=0:1", ERR_BAD_PARAMETER, "without fps"},
    {"/v1/pose?model=a&t=0:1:2:3", ERR_BAD_PARAMETER, "'t' has '3'"},
    {"/v1/pose?model=a&t=0::2", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=2:1:30", ERR_BAD_PARAMETER, "ends at 1, before its start at 2"},
    {"/v1/pose?model=a&t=0:1:0", ERR_BAD_PARAMETER, "fps must be above 0"},
    {"/v1/pose?model=a&t=0:1:-5", ERR_BAD_PARAMETER, "fps must be above 0"},
    {"/v1/pose?model=a&t=%zz", ERR_BAD_PARAMETER, "'t': bad percent-escape"},
    {"/v1/pose?model=a&t=%00", ERR_BAD_PARAMETER, "'t': a NUL"},
    {"/v1/pose?model=a&clip=%ff", ERR_BAD_PARAMETER, "'clip': not valid UTF-8"},
    {"/v1/pose?model=a&wrap=Loop", ERR_BAD_PARAMETER, "must be loop, clamp or mirror"},
    {"/v1/pose?model=a&what=local,world", ERR_BAD_PARAMETER, "'world'"},
    {"/v1/pose?model=a&what=", ERR_BAD_PARAMETER, "'what'"},
    {"/v1/pose?model=a&format=xml", ERR_BAD_PARAMETER, "json or bin"},
    {"/v1/palette?model=a&space=world", ERR_BAD_PARAMETER, "scene, root or mesh"},
    {"/v1/palette?model=a&layout=mat3", ERR_BAD_PARAMETER, "mat4, mat3x4 or dualquat"},
    {"/v1/palette?model=a&mesh=1", ERR_BAD_PARAMETER, "needs space=mesh"},
    {"/v1/mesh?model=a&rest=yes", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/mesh?model=a&indices=", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&width=0", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&height=4097", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&width=-1", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&width=99999999999999999999", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&view=wire", ERR_BAD_PARAMETER,
     "lit, weights, skeleton, wireframe, normals, depth, joints, hitboxes, onion or openpose"},
    {"/v1/render?model=a&view=lit&t=0,1", ERR_BAD_PARAMETER, "names 2 times; a picture shows one"},
    {"/v1/render?model=a&view=onion&t=0:64:1", ERR_TOO_MANY_FRAMES, "names 65 times; view=onion shows 64"},
    {"/v1/render?model=a&view=onion&t=0:16:1&width=1024&height=1024", ERR_BAD_PARAMETER,
     "17 times 1024 x 1024 pixels are more than --max-picture-pixels"},
    {"/v1/render?model=a&view=onion&joint=1", ERR_BAD_PARAMETER, "'joint' needs view=weights or skeleton"},
    {"/v1/render?model=a&view=Lit", ERR_BAD_PARAMETER, "lit, weights"},
    {"/v1/render?model=a&view=lit&view=lit", ERR_DUPLICATE_PARAMETER, "view"},
    {"/v1/render?model=a&joint=1", ERR_BAD_PARAMETER, "'joint' needs view=weights or skeleton"},
    {"/v1/render?model=a&joint_name=1&view=depth", ERR_BAD_PARAMETER, "'joint_name' needs view=weights or skeleton"},
    {"/v1/render?model=a&view=weights&joint=1&joint_name=b", ERR_DUPLICATE_PARAMETER, "give one"},
    {"/v1/render?model=a&view=weights&joint=", ERR_BAD_PARAMETER, "joint_name= takes an empty name"},
    {"/v1/render?model=a&view=normals&shadow=1", ERR_BAD_PARAMETER, "view=normals"},
    {"/v1/render?model=a&light=sun", ERR_BAD_PARAMETER, "studio, outdoor, flat or file"},
    {"/v1/environment?light=file", ERR_BAD_PARAMETER, "'light' needs 'environment'"},
    {"/v1/render?model=a&light=file&view=depth", ERR_BAD_PARAMETER, "'light' does not go with view=depth"},
    {"/v1/render?model=a&environment_yaw=1", ERR_BAD_PARAMETER, "'environment_yaw' needs 'environment'"},
    {"/v1/render?model=a&environment=a.hdr&light=flat", ERR_BAD_PARAMETER, "light=file only"},
    {"/v1/render?model=a&environment=a.hdr&view=depth", ERR_BAD_PARAMETER, "'environment' does not go with view=depth"},
    {"/v1/render?model=a&environment=/a.hdr", ERR_BAD_PATH, "absolute"},
    {"/v1/sheet?model=a&environment=b.glb", ERR_UNKNOWN_FORMAT, "'b.glb', which is no environment"},
    {"/v1/pose?model=a.HDR", ERR_UNKNOWN_FORMAT, "an environment, which is no model"},
    {"/v1/export?model=a&clip_file=b.hdr", ERR_UNKNOWN_FORMAT, "an environment, which is no model"},
    {"/v1/render?model=a&tone=film", ERR_BAD_PARAMETER, "neutral, aces or none"},
    {"/v1/render?model=a&ao=yes", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&exposure=16.5", ERR_BAD_PARAMETER, "a number of stops from -16 to 16"},
    {"/v1/render?model=a&exposure=nan", ERR_BAD_PARAMETER, "a number of stops from -16 to 16"},
    {"/v1/render?model=a&view=normals&light=flat", ERR_BAD_PARAMETER, "'light' does not go with view=normals"},
    {"/v1/render?model=a&view=depth&exposure=1", ERR_BAD_PARAMETER, "'exposure' does not go with view=depth"},
    {"/v1/render?model=a&view=joints&tone=none", ERR_BAD_PARAMETER, "'tone' does not go with view=joints"},
    {"/v1/render?model=a&view=weights&ao=1", ERR_BAD_PARAMETER, "'ao' does not go with view=weights"},
    {"/v1/render?model=a&background=red", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=gg0000", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=ffffff,", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=ffffff,000000,ffffff", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&aa=4", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&alpha=none", ERR_BAD_PARAMETER, "premultiplied"},
    {"/v1/render?model=a&shadow=soft", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&compression=9", ERR_BAD_PARAMETER, "fast or small"},
    {"/v1/render?model=a&format=webp&quality=0", ERR_BAD_PARAMETER, "from 1 to 100"},
    {"/v1/render?model=a&format=webp&quality=1.5", ERR_BAD_PARAMETER, "from 1 to 100"},
    {"/v1/render?model=a&format=json&quality=5", ERR_BAD_PARAMETER, "'quality' does not go with format=json"},
    {"/v1/render?model=a&quality=5", ERR_BAD_PARAMETER, "'quality' does not go with format=png"},
    {"/v1/render?model=a&background=%23ff0000", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&yaw=east", ERR_BAD_PARAMETER, "degrees"},
    {"/v1/render?model=a&pitch=90.1", ERR_BAD_PARAMETER, "from -90 to 90"},
    {"/v1/render?model=a&pitch=80&camera=three_quarter", ERR_BAD_PARAMETER, "leads to 95 degrees"},
    {"/v1/render?model=a&camera=", ERR_BAD_PARAMETER, "camera_name= takes an empty name"},
    {"/v1/render?model=a&camera=front&camera=back", ERR_DUPLICATE_PARAMETER, "'camera'"},
    {"/v1/render?model=a&camera=one&camera_name=two", ERR_DUPLICATE_PARAMETER, "both name the camera"},
    {"/v1/render?model=a&camera=front&camera_name=two", ERR_DUPLICATE_PARAMETER, "both name the camera"},
    {"/v1/render?model=a&camera=one&yaw=1", ERR_BAD_PARAMETER, "'yaw' does not go with a camera of the file"},
    {"/v1/render?model=a&camera_name=one&ortho=1", ERR_BAD_PARAMETER, "'ortho' does not go"},
    {"/v1/render?model=a&frame=all", ERR_BAD_PARAMETER, "clip or pose"},
    {"/v1/render?model=a&margin=0.5", ERR_BAD_PARAMETER, "from 0 to 0.45"},
    {"/v1/render?model=a&fov=0", ERR_BAD_PARAMETER, "from 1 to 150"},
    {"/v1/render?model=a&fov=20&ortho=1", ERR_BAD_PARAMETER, "no perspective"},
    {"/v1/render?model=a&projection=level&fov=20", ERR_BAD_PARAMETER, "'fov' does not go with projection=level"},
    {"/v1/render?model=a&pitch=0&projection=isometric", ERR_BAD_PARAMETER,
     "'pitch' does not go with projection=isometric"},
    {"/v1/render?model=a&ortho=0&projection=level", ERR_BAD_PARAMETER, "ortho=0 does not go with projection=level"},
    {"/v1/render?model=a&projection=dimetric&camera=top", ERR_BAD_PARAMETER,
     "camera=top does not go with projection=dimetric, which looks from 30 degrees above"},
    {"/v1/turntable?model=a&projection=level&camera=top", ERR_BAD_PARAMETER, "camera=top does not go"},
    {"/v1/render?model=a&distance=0", ERR_BAD_PARAMETER, "from 0.001 to 1000"},
    {"/v1/render?model=a&frame_box=0,0,0,1,1", ERR_BAD_PARAMETER, "has 5 numbers; it takes 6"},
    {"/v1/sheet?model=a&frame_box=0,0,0,1,1,1&frame_box=2", ERR_BAD_PARAMETER, "has 7 numbers; it takes 6"},
    {"/v1/render?model=a&frame_box=0,0,0,1,nan,1", ERR_BAD_PARAMETER, "has 'nan', which is no number"},
    {"/v1/render?model=a&frame_box=0,0,0,1,2e30,1", ERR_BAD_PARAMETER, "from -1e30 to 1e30"},
    {"/v1/render?model=a&frame_box=", ERR_BAD_PARAMETER, "minx,miny,minz,maxx,maxy,maxz"},
    {"/v1/render?model=a&frame_box=0,3,0,1,2,1", ERR_BAD_PARAMETER, "has miny 3 above maxy 2"},
    {"/v1/render?model=a&frame_box=0,0,0,1,1,1&frame=pose", ERR_BAD_PARAMETER, "'frame' does not go with 'frame_box'"},
    {"/v1/render?model=a&frame_box=0,0,0,1,1,1&camera=shot", ERR_BAD_PARAMETER,
     "'frame_box' does not go with a camera"},
    {"/v1/pose?model=a&frame_box=0,0,0,1,1,1", ERR_UNKNOWN_PARAMETER, "it belongs to /v1/render, /v1/sheet"},
    {"/v1/render?model=a&target=", ERR_BAD_PARAMETER, "target_name= takes an empty name"},
    {"/v1/render?model=a&target=1e300,0,0", ERR_BAD_PARAMETER,
     "'target' is '1e300,0,0'; it must be a node, or a place x,y,z"},
    {"/v1/sheet?model=a&target=0,-1.1e30,0", ERR_BAD_PARAMETER, "from -1e30 to 1e30"},
    {"/v1/render?model=a&target=1,2", ERR_BAD_PARAMETER, "a place x,y,z"},
    {"/v1/render?model=a&target=0,nan,0", ERR_BAD_PARAMETER, "a place x,y,z"},
    {"/v1/render?model=a&target=0,1,0,0", ERR_BAD_PARAMETER, "'0,1,0,0'; it must be a node, or a place x,y,z"},
    {"/v1/render?model=a&target=0,,1", ERR_BAD_PARAMETER, "target_name= takes a name that looks like numbers"},
    {"/v1/render?model=a&target=1&target_name=a", ERR_DUPLICATE_PARAMETER, "both name the target"},
    {"/v1/render?model=a&allow_empty=yes", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&t=auto&speed=2", ERR_BAD_PARAMETER, "'speed' does not go with t=auto"},
    {"/v1/render?model=a&t=auto&t=1", ERR_BAD_PARAMETER, "other times beside auto"},
    {"/v1/pose?model=a&t=auto", ERR_BAD_PARAMETER, "no finite number"},
    {"/v1/render?model=a&t=0,1", ERR_BAD_PARAMETER, "names 2 times; a picture shows one"},
    {"/v1/render?model=a&passes=color,dpeth", ERR_BAD_PARAMETER, "has 'dpeth'; did you mean 'depth'?"},
    {"/v1/render?model=a&passes=heat", ERR_BAD_PARAMETER, "it takes color, depth, normal, position, node, mesh, "},
    {"/v1/render?model=a&passes=", ERR_BAD_PARAMETER, "has ''"},
    {"/v1/render?model=a&format=npz", ERR_BAD_PARAMETER, "format=npz needs the parameter 'passes'"},
    {"/v1/render?model=a&format=exr", ERR_BAD_PARAMETER, "format=exr needs the parameter 'passes'"},
    {"/v1/render?model=a&passes=depth&format=exr&alpha=premultiplied", ERR_BAD_PARAMETER,
     "'alpha' does not go with format=exr"},
    {"/v1/render?model=a&passes=motion", ERR_BAD_PARAMETER, "needs the parameter 't2'"},
    {"/v1/render?model=a&passes=depth&t2=1", ERR_BAD_PARAMETER, "'t2' needs passes=motion"},
    {"/v1/render?model=a&passes=motion&t2=x", ERR_BAD_PARAMETER, "a finite number of seconds"},
    {"/v1/render?model=a&passes=depth&normal_space=scene", ERR_BAD_PARAMETER, "'normal_space' needs passes=normal"},
    {"/v1/render?model=a&passes=normal&normal_space=world", ERR_BAD_PARAMETER, "camera or scene"},
    {"/v1/render?model=a&passes=depth,node&format=png", ERR_BAD_PARAMETER, "a PNG file has one pass"},
    {"/v1/render?model=a&passes=position&format=png", ERR_BAD_PARAMETER, "'position' does not fit a PNG file"},
    {"/v1/render?model=a&passes=depth&format=jpeg", ERR_BAD_PARAMETER, "'format' may be npz, exr or png"},
    {"/v1/render?model=a&passes=depth,uv&format=webp", ERR_BAD_PARAMETER,
     "go with format=webp; 'format' may be npz or exr"},
    {"/v1/render?model=a&passes=depth&format=json", ERR_BAD_PARAMETER, "does not go with format=json"},
    {"/v1/render?model=a&passes=depth&view=normals", ERR_BAD_PARAMETER, "it needs view=lit"},
    {"/v1/render?model=a&passes=depth&view=onion", ERR_BAD_PARAMETER, "it needs view=lit"},
    {"/v1/render?model=a&passes=depth&quality=5", ERR_BAD_PARAMETER, "does not go with format=npz"},
    {"/v1/render?model=a&width=4096&height=4096&passes=color,depth,normal", ERR_BAD_PARAMETER,
     "have 335544320 bytes, more than 268435456 bytes"},
    {"/v1/sheet?model=a&passes=depth,node", ERR_BAD_PARAMETER, "the cells of a sheet show one pass"},
    {"/v1/sheet?model=a&passes=motion", ERR_BAD_PARAMETER, "the pass 'motion' has no colours"},
    {"/v1/turntable?model=a&passes=position", ERR_BAD_PARAMETER, "the pass 'position' has no colours"},
    {"/v1/turntable?model=a&passes=depth&view=depth", ERR_BAD_PARAMETER, "it needs view=lit"},
    {"/v1/sheet?model=a&passes=depth&shadow=1", ERR_BAD_PARAMETER, "'shadow' does not go with passes=depth"},
    {"/v1/sheet?model=a&passes=node&ao=1", ERR_BAD_PARAMETER, "'ao' does not go with passes=node"},
    {"/v1/sheet?model=a&normal_space=scene", ERR_BAD_PARAMETER, "'normal_space' needs passes=normal"},
    {"/v1/sheet?model=a&passes=motion&t2=1", ERR_UNKNOWN_PARAMETER, "'t2'"},
    {"/v1/models?limit=0", ERR_BAD_PARAMETER, "from 1 to 1000"},
    {"/v1/models?limit=1001", ERR_BAD_PARAMETER, "from 1 to 1000"},
};

TEST(request_refuses)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        struct request request;
        struct err err = {0};
        request_init(&request);
        const int rc = parse_request_as(&request, "GET", REFUSED[i].target, NULL, &err);
        if (rc != REFUSED[i].code || err.code != rc)
            fail_msg("%s: %d (%s), expected %s", REFUSED[i].target, rc, err.message, err_name(REFUSED[i].code));
        if (strstr(err.message, REFUSED[i].part) == NULL)
            fail_msg("%s: '%s' is not in '%s'", REFUSED[i].target, REFUSED[i].part, err.message);
        request_fini(&request);
    }
}

TEST(request_methods)
{
    struct request r;
    struct err err;
    request_init(&r);
    assert_int_equal(parse_request_as(&r, "HEAD", "/v1/pose?model=a", NULL, &err), 0);
    assert_true(r.is_head);
    assert_int_equal(parse_request_as(&r, "PUT", "/v1/pose?model=a", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes GET, HEAD, POST, not PUT"));
    assert_int_equal(parse_request_as(&r, "POST", "/v1/model?model=a", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes GET, HEAD, not POST"));
    assert_int_equal(parse_request_as(&r, "HEAD", "/v1/query", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes POST, not HEAD"));
    assert_int_equal(parse_request_as(&r, "POST", "/nowhere", NULL, &err), ERR_NOT_FOUND);
    assert_int_equal(parse_request_as(&r, "HEAD", "/nowhere", NULL, &err), ERR_NOT_FOUND);
    request_fini(&r);
}

/* A query of the greatest length in its densest forms needs no more memory than was set aside. */
TEST(request_dense_queries)
{
    static const char *const units[] = {"&t", "&t=0", ",0", "&t=%30", "&", "%", "&=", "&joints=0"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t size = 0; size < 40; size++) {
            char target[1024] = "/v1/pose?model=a&t=0";
            for (size_t n = 0; n < size; n++)
                strcat(target, units[i]);
            struct request r;
            struct err err = {0};
            request_init(&r);
            const int rc = parse_request_as(&r, "GET", target, NULL, &err);
            assert_true(rc == 0 || err.message[0] != '\0');
            request_fini(&r);
        }
}

TEST(request_every_one_byte_change_is_an_answer)
{
    static const char text[] = "/v1/palette?model=a%20b&t=0:1:2,3&skin=1,b&clip=-&wrap=loop&format=bin";
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (int value = 1; value < 256; value++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)value;
            struct request r;
            struct err err = {0};
            request_init(&r);
            const int rc = parse_request_as(&r, "GET", changed, NULL, &err);
            assert_true(rc == 0 || (err.code == rc && err.message[0] != '\0'));
            if (rc == 0 && r.op == OP_PALETTE) /* with a '?' early on it is a page */
                assert_in_range(r.pose.time_count, 1, 10000);
            request_fini(&r);
        }
}
