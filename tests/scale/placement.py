"""Placement by consistent hashing: who has how much, what a loss moves, and what hot models do.

Each instance has points on a ring of 64-bit numbers, and a model belongs to the instance of the first point at or after its hash (Karger et
al., "Consistent Hashing and Random Trees", STOC 1997). Requests are spread over models by Zipf's law. "Bounded" is consistent hashing with
bounded loads (Mirrokni, Thorup, Zadimoghaddam, 2016), which HAProxy calls hash-balance-factor: what an instance has above `bound` times the
mean goes on to the next one on the ring. The random numbers have a fixed seed: every run finds the same.
"""
import dataclasses

import numpy

SEED = 19
FULL = numpy.uint64(0xFFFFFFFFFFFFFFFF)


def mix(numbers):
    """64-bit hashes of integers: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    with numpy.errstate(over="ignore"):
        x = numbers.astype(numpy.uint64) + numpy.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return x ^ (x >> numpy.uint64(31))


def model_hashes(count):
    return mix(numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(1 << 40))


def zipf(count, exponent):
    """Shares of the requests, the most wanted model first."""
    weights = 1 / numpy.arange(1, count + 1) ** exponent
    return weights / weights.sum()


class Ring:
    """Instances by number, each with `points` points. Adding and removing instances leaves the points of the others."""

    def __init__(self, instances, points):
        instances = numpy.asarray(instances, dtype=numpy.uint64)
        places = mix(instances[:, None] * numpy.uint64(1 << 20) + numpy.arange(points, dtype=numpy.uint64)).ravel()
        order = numpy.argsort(places, kind="stable")
        self.places, self.instances = places[order], numpy.repeat(instances, points)[order].astype(numpy.int64)

    def at(self, hashes):
        """The index of each hash's point on the ring."""
        return numpy.searchsorted(self.places, hashes) % len(self.places)

    def owners(self, hashes):
        return self.instances[self.at(hashes)]


@dataclasses.dataclass(frozen=True)
class Spread:
    """Relative to the mean over all instances."""

    models_most: float
    models_p99: float
    requests_most: float


def spread(owners, shares, count):
    models = numpy.bincount(owners, minlength=count) / (len(owners) / count)
    requests = numpy.bincount(owners, weights=shares, minlength=count) * count
    return Spread(models.max(), numpy.quantile(models, 0.99), requests.max())


@dataclasses.dataclass(frozen=True)
class Change:
    """Shares of all models: those that moved, and those that had no reason to (their instance existed before and after)."""

    moved: float
    without_reason: float
    requests_moved: float
    most_after: float  # requests of the busiest instance, relative to the mean


def lose(instances, points, hashes, shares, lost):
    """`lost` instances go, chosen at random."""
    before = Ring(numpy.arange(instances), points).owners(hashes)
    gone = numpy.random.default_rng(SEED).choice(instances, lost, replace=False)
    left = numpy.setdiff1d(numpy.arange(instances), gone)
    after = Ring(left, points).owners(hashes)
    moved = before != after
    load = numpy.bincount(after, weights=shares, minlength=instances) * len(left)
    return Change(moved.mean(), (moved & ~numpy.isin(before, gone)).mean(), shares[moved].sum(), load.max())


def join(instances, points, hashes, shares, added):
    """`added` instances come."""
    before = Ring(numpy.arange(instances), points).owners(hashes)
    after = Ring(numpy.arange(instances + added), points).owners(hashes)
    moved = before != after
    load = numpy.bincount(after, weights=shares, minlength=instances + added) * (instances + added)
    return Change(moved.mean(), (moved & (after < instances)).mean(), shares[moved].sum(), load.max())


@dataclasses.dataclass(frozen=True)
class Bounded:
    """most: requests of the busiest instance relative to the mean; copies: models in memory beyond one of each, as a share of all models;
    widest: the number of instances with the most popular model."""

    most: float
    copies: float
    widest: int


def bounded(instances, points, hashes, shares, bound):
    """Requests of each model, the most popular first, fill its instance up to `bound` times the mean and go on to the next on the ring."""
    ring = Ring(numpy.arange(instances), points)
    starts, owner_at = ring.at(hashes), ring.instances
    room = numpy.full(instances, bound / instances)
    pairs = widest = 0
    for model, start in enumerate(starts):
        left, at, used = shares[model], start, 0
        while left > 1e-15:
            owner = owner_at[at]
            if room[owner] > 0:
                part = min(left, room[owner])
                room[owner] -= part
                left -= part
                used += 1
            at = (at + 1) % len(owner_at)
        pairs += used
        widest = max(widest, used)
    load = bound - room * instances
    return Bounded(load.max(), pairs / len(hashes) - 1, widest)
