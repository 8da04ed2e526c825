"""How the server listens."""

import socket

from league.api.server.serving import listen


def test_an_answer_is_sent_at_once() -> None:
    """What is written to a connection goes out undelayed, however small it is."""
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
