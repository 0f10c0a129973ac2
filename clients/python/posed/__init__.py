"""Client of posed, an animation server: skinning palettes, poses and pictures of 3D characters at any time of a clip.

    import posed

    with posed.serve("models") as server:              # or: with posed.connect("127.0.0.1:7879") as server:
        robot = server.model("robot.glb")
        print(robot.palette("walk", 0.5).shape)        # (joints, 4, 4)
        robot.render("walk", 0.5).save("robot.png")
"""
from .answer import Answer, Picture
from .client import Client, connect
from .crowd import Entities, Entity, Layer, Mask, Wanted, entity_dtype, layer_dtype
from .errors import ConnectionLost, PosedError, ProtocolError, TimedOut
from .frames import Block, Frames
from .given import GivenPose
from .model import Mesh, Model, Part, Pose
from .parameters import REST
from .raycast import Hit, Hits, Ray, Target, ray_dtype, rays, target_dtype
from .server import Server, find_program, serve
from .stream import Change, Frame, Stream, Watch

__version__ = "0.2.0"
__all__ = ["Answer", "Block", "Change", "Client", "ConnectionLost", "Entities", "Entity", "Frame", "Frames", "GivenPose", "Hit", "Hits", "Layer",
           "Mask", "Mesh", "Model", "Part", "Picture", "Pose", "PosedError", "ProtocolError", "REST", "Ray", "Server", "Stream", "Target",
           "TimedOut", "Wanted", "Watch", "connect", "entity_dtype", "find_program", "layer_dtype", "ray_dtype", "rays", "serve",
           "target_dtype"]
