"""make scale: the page about scale agrees with the bench's figures and the simulation, and the simulation follows its sources."""
import pathlib
import sys

import numpy
import pytest

SCALE = pathlib.Path(__file__).resolve().parents[2] / "scale"
sys.path.append(str(SCALE))
import cost  # noqa: E402
import figures  # noqa: E402
import placement  # noqa: E402
import scale  # noqa: E402

HASHES = placement.model_hashes(20000)


def test_the_page_is_what_make_scale_writes():
    page = scale.PAGE.read_text()
    assert scale.fill(page, scale.tables()) == page, "run make scale"


def test_figures_are_read_with_their_thousands_and_the_later_of_two():
    text = "On A CPU, 2 processors, Debian, commit 1:\n\n| one | 1.4M \u00b118% answers | x | | | |\n| two | 785k bytes | | | | |\n| one | 2.5 \u00b11% answers | | | | |\n"
    found = figures.read(text)
    assert (found.of("one"), found.of("two"), found.machine) == (2.5, 785e3, "A CPU, 2 processors, Debian")
    with pytest.raises(SystemExit, match="no row 'three'"):
        found.of("three")


def test_a_need_is_the_load_at_its_peak_with_half_of_each_core_free():
    one = cost.Cost(palettes_per_s=100, pipelined_per_s=0, pictures_per_s=0, heavy_pictures_per_s=10, imports_per_s=5, memory_bytes=7, disk_bytes=11)
    needs = cost.need(cost.Load("", models=20, palettes_a_day=86400 * 40, pictures_a_day=86400 * 5, changed=10, peak=2), one)
    assert (needs.palettes_per_s, needs.palette_cores, needs.picture_cores, needs.cores) == (80, 1.6, 2, 4)
    assert (needs.memory_bytes, needs.disk_bytes, needs.first_import_s, needs.imports_a_day_s) == (140, 220, 4, 2)


def test_hashes_are_splitmix64():
    """The first outputs of SplitMix64 from the states 0 and 1, as its authors' code gives them."""
    assert [hex(value) for value in placement.mix(numpy.array([0, 1], numpy.uint64))] == ["0xe220a8397b1dcdaf", "0x910a2dec89025cc1"]


@pytest.mark.parametrize("points", (16, 160))
def test_a_model_belongs_to_the_next_point_on_the_ring(points):
    ring = placement.Ring(range(5), points)
    assert sorted(numpy.bincount(ring.instances)) == [points] * 5
    for model in HASHES[:200]:
        later = [(int(place), owner) for place, owner in zip(ring.places, ring.instances) if place >= model]
        assert ring.owners(numpy.array([model]))[0] == (min(later)[1] if later else ring.instances[0])


@pytest.mark.parametrize("count", (1, 3))
def test_a_change_moves_only_what_it_must(count):
    shares = placement.zipf(len(HASHES), 0.9)
    lost = placement.lose(20, 160, HASHES, shares, count)
    added = placement.join(20, 160, HASHES, shares, count)
    assert lost.without_reason == added.without_reason == 0
    assert lost.moved == pytest.approx(count / 20, rel=0.3) and added.moved == pytest.approx(count / (20 + count), rel=0.3)


def test_bounded_loads_keep_the_bound_and_lose_nothing():
    shares = placement.zipf(len(HASHES), 1.1)
    plain = placement.spread(placement.Ring(range(20), 160).owners(HASHES), shares, 20)
    limited = placement.bounded(20, 160, HASHES, shares, 1.5)
    assert plain.requests_most > 1.5 >= limited.most - 1e-9 and limited.widest > 1 and limited.copies > 0
    wide = placement.bounded(20, 160, HASHES, shares, 1e9)
    assert (wide.most, wide.copies, wide.widest) == (pytest.approx(plain.requests_most), 0, 1)
