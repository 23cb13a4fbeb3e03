"""Clusters in words and from the files that go with traces."""

from pathlib import Path

import pytest

from ringyard.instances import InputError, RackServer
from ringyard.instances.importers.clusters import from_file, in_racks, in_words


def sizes(servers: tuple[RackServer, ...]) -> list[tuple[str, int, str]]:
    return [(server.name, server.gpus, server.rack) for server in servers]


def test_servers_are_read_from_words() -> None:
    assert [server.gpus for server in in_words("2x4, 1x8")] == [4, 4, 8]
    typed = in_words("1x4:v100@east,1x2:k80,1x8@west")
    assert [(server.gpus, server.gpu, server.region) for server in typed] == [
        (4, "v100", "east"),
        (2, "k80", None),
        (8, None, "west"),
    ]
    racks = [server.rack for server in in_racks(in_words("5x1"), 2)]
    assert racks == ["r0", "r0", "r0", "r1", "r1"]


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        (
            "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,2,4,64,9\n",
            [("s0", 4, "r0"), ("s1", 4, "r0"), ("s2", 4, "r1"), ("s3", 4, "r1")],
        ),
        (
            "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\nm7,2, 12GB\n",
            [("m1", 8, "rack"), ("m7", 2, "rack")],
        ),
        ('{"philly": ["0:2:0"]}', [("s0", 1, "rack"), ("s1", 1, "rack")]),
    ],
    ids=["tiresias", "philly", "gavel"],
)
def test_servers_are_read_from_a_file(
    tmp_path: Path, text: str, servers: list[tuple[str, int, str]]
) -> None:
    file = tmp_path / "cluster"
    file.write_text(text)
    assert sizes(from_file(file)) == servers


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "an empty file"),
        ("num_switch,num_node_p_switch,num_gpu_p_node\n1,0,4\n", "line 2, num_node_p_switch"),
        ("num_switch,num_node_p_switch,num_gpu_p_node\n1,,4\n", "found an empty cell"),
        ("num_switch,num_node_p_switch,num_gpu_p_node\n9999,9999,4\n", "at most 100,000"),
        ("num_switches,num_node_p_switch,num_gpu_p_node\n1,1,4\n", "Rename column 'num_switches'"),
        ("machineId,number of GPUs\nm1,eight\n", "line 2, number of GPUs: found 'eight'"),
        ('{"philly": ["300:300"]}', "one cluster by type of GPU"),
        ('{"philly": ["0:0:0"]}', "one cluster by type of GPU"),
        ('{"philly": ["90000:90000:1"]}', "one cluster by type of GPU"),
        ("[1]", "one cluster by type of GPU"),
    ],
)
def test_a_faulty_file_of_servers_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "cluster"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        from_file(file)
    assert complaint in str(caught.value)
    assert str(file) in str(caught.value)


def test_kinds_of_gpus_are_read_from_words_and_from_a_file(tmp_path: Path) -> None:
    words = in_words("2x4:v100@east,1x2:k80,1x8")
    assert [server.gpu for server in words] == ["v100", "v100", "k80", None]
    assert [server.region for server in words] == ["east", "east", None, None]
    file = tmp_path / "cluster"
    file.write_text('{"philly": ["1:0:2"]}')
    assert [(s.gpus, s.gpu) for s in from_file(file)] == [(1, "v100"), (1, "k80"), (1, "k80")]
    file.write_text('{"philly": ["0:0:2"]}')
    assert {server.gpu for server in from_file(file)} == {None}


@pytest.mark.parametrize(
    "words", ["", "4", "2x4:", "2x4@e:k80", "0x4", "4x0", "2x4,", "x", "200000x8", "1e3x4", "-1x4"]
)
def test_words_that_mean_nothing(words: str) -> None:
    with pytest.raises(InputError, match="servers times GPUs"):
        in_words(words)


@pytest.mark.parametrize("racks", [0, 3])
def test_too_few_or_too_many_racks(racks: int) -> None:
    with pytest.raises(InputError, match="--racks"):
        in_racks(in_words("2x4"), racks)
