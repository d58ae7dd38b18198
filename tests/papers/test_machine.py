from unnaive.papers.machine import describe_machine


def test_the_machine_and_the_releases_are_described():
    assert [*describe_machine()] == ["Machine", "Written with"]
