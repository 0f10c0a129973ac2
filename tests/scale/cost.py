"""The costs of answers, models and imports, and the needs of a load, computed only from the bench's figures."""
import dataclasses
import math

DAY_S = 24 * 3600
GB = 1e9
PROCESSORS = 2  # of the machine of the bench: pictures are drawn two at a time


@dataclasses.dataclass(frozen=True)
class Cost:
    """For one core, or for one model of a kind; sizes in bytes."""

    palettes_per_s: float  # HTTP, one request at a time on a connection
    pipelined_per_s: float  # the binary protocol, 16 at a time
    pictures_per_s: float  # 256 x 256, of a light model
    heavy_pictures_per_s: float
    imports_per_s: float  # of a character, sandboxed and checked
    memory_bytes: float  # of a character, without its textures
    disk_bytes: float  # of a character in --cache-dir, with them


def cost(figures):
    return Cost(palettes_per_s=figures.of("50 connections: HTTP, palette of 24 joints, 1680 bytes, no pipelining"),
                pipelined_per_s=figures.of("50 connections: TCP, palette of 24 joints, 1680 bytes, pipeline 16"),
                pictures_per_s=figures.of("thumbnails: cesium_man base") / PROCESSORS,
                heavy_pictures_per_s=figures.of("thumbnails: robot base") / PROCESSORS,
                imports_per_s=1e3 / figures.of("imports: Fox.glb, sandboxed import in a server"),
                memory_bytes=figures.of("memory of a model: robot.glb"),
                disk_bytes=figures.of("memory of a model: robot.glb, in --cache-dir"))


@dataclasses.dataclass(frozen=True)
class Load:
    """The requests. peak: how many times the average the busiest minute has; changed: models that change in a day."""

    name: str
    models: float
    palettes_a_day: float
    pictures_a_day: float
    changed: float
    peak: float = 10


@dataclasses.dataclass(frozen=True)
class Need:
    """At the peak, with half of each core kept free; seconds of one core."""

    palettes_per_s: float
    palette_cores: float
    picture_cores: float
    memory_bytes: float
    disk_bytes: float
    first_import_s: float
    imports_a_day_s: float

    @property
    def cores(self):
        return max(1, math.ceil(self.palette_cores + self.picture_cores))


HEADROOM = 2


def need(load, cost_of):
    palettes, pictures = (each * load.peak / DAY_S for each in (load.palettes_a_day, load.pictures_a_day))
    return Need(palettes_per_s=palettes,
                palette_cores=HEADROOM * palettes / cost_of.palettes_per_s,
                picture_cores=HEADROOM * pictures / cost_of.heavy_pictures_per_s,
                memory_bytes=load.models * cost_of.memory_bytes,
                disk_bytes=load.models * cost_of.disk_bytes,
                first_import_s=load.models / cost_of.imports_per_s,
                imports_a_day_s=load.changed / cost_of.imports_per_s)
