"""GPUs as they are measured, and which of them a caller is told of."""

from __future__ import annotations

from jupyter_gpuquota.core.usage.gpus import MANY, measured, of_interest
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.model.nodes import GpuProgram, Reading
from tests.builders import make_node, make_placement, make_session, make_slice

NODE = make_node("n1", 2)
FIRST, SECOND = (device.uuid for device in NODE.devices)
OWN = make_session("a", "0.5", "running", placement=make_placement(make_slice(0, 500)))


def test_only_gpus_with_a_measurement_are_listed() -> None:
    readings = {FIRST: Reading(temperature=31), SECOND: Reading()}
    (gpu,) = measured(draw([NODE], [], readings), ())
    assert (gpu.node, gpu.name, gpu.temperature, gpu.utilisation) == ("n1", "0", 31, None)
    assert (gpu.model, gpu.memory) == (NODE.devices[0].model, NODE.devices[0].memory)
    assert measured(draw([NODE], [], {}), ()) == []


def test_a_gpu_is_the_callers_by_a_share_or_by_a_program() -> None:
    program = GpuProgram(session="s2", name="python", owner="ana")
    outside = GpuProgram(name="python", owner="ana")
    readings = {
        FIRST: Reading(utilisation=90, programs=(outside,)),
        SECOND: Reading(utilisation=7, programs=(program,)),
    }
    first, second = measured(draw([NODE], [OWN], readings), {OWN.id})
    assert (first.sessions, first.mine, first.programs) == ((OWN.id,), True, (outside,))
    assert (second.sessions, second.mine) == (("s2",), False)
    assert measured(draw([NODE], [OWN], readings), {"s2"})[1].mine


def test_of_many_gpus_a_caller_is_told_of_those_in_own_use() -> None:
    node = make_node("n1", MANY + 1)
    readings = {device.uuid: Reading(utilisation=1) for device in node.devices}
    found = measured(draw([node], [OWN], readings), {OWN.id})
    assert [gpu.name for gpu in of_interest(found)] == ["0"]
    assert len(of_interest(found[1:])) == MANY
