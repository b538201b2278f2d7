"""The protocol core, compared with the literal bytes of the vectors."""

import hashlib
import hmac
import json
import unittest
from pathlib import Path

from haptic_bridge import (
    EngineInterruptedError, EngineNotRunningError, EngineStartError, Faults, Finished, HapticDynamicParameter,
    HapticErrorCode, HapticEvent, HapticOutput, HapticParameterCurve, HapticPattern, InvalidPatternError, Measured,
    Reset, Started, Stopped,
)
from haptic_bridge.base import EngineBase
from haptic_bridge.session import Framing, ProtocolError, Session, encode

VECTORS = Path(__file__).resolve().parents[3] / "Tests/Vectors/server/messages.txt"


def vectors(speaker):
    return [line[len(speaker) + 1:] for line in VECTORS.read_text().splitlines() if line.startswith(speaker + " ")]


def framed(text):
    body = text.encode()
    return len(body).to_bytes(4, "big") + body


STARTED = framed('{"type":"started"}')
TAPS = HapticPattern(
    [HapticEvent("HapticTransient", 0, intensity=1, sharpness=0.5),
     HapticEvent("HapticTransient", 0.25, 0.1, 0.25, 1)],
    [HapticDynamicParameter("HapticIntensityControl", 0.5)],
    [HapticParameterCurve("HapticSharpnessControl", [(0, -1), (0.5, 1)], 0.001)])
LEVELS = HapticPattern([
    HapticEvent("HapticContinuous", 0, 0.5, 0.5, 0.25),
    HapticEvent("HapticContinuous", 10e-6, None, 1, 0, 0.25, 0.5, 0.75, False),
    HapticEvent("AudioContinuous", 20e-6, 0.7)])


class Engine(EngineBase):
    """An engine whose messages are recorded."""

    def __init__(self):
        super().__init__(locality="leftHandle", program="one tap")
        self.session = self._begin(None)

    def lines(self):
        lines = [encode(message).decode() for message in Framing().receive(bytes(self.session.outgoing))]
        self.session.outgoing.clear()
        return lines

    def receive(self, data, now=None):
        events = self.session.receive(data, self.current_time if now is None else now)
        self._note(events)
        return events

    def _flush(self):
        pass


class VectorTests(unittest.TestCase):
    def test_messages_of_the_client_have_the_bytes_of_the_vectors(self):
        for line in vectors("client"):
            self.assertEqual(encode(json.loads(line)).decode(), line)

    def test_each_command_sends_its_vector(self):
        engine = Engine()
        engine.receive(STARTED)
        player = engine._make_player(TAPS, True, 0.25, 2, True, True)
        other = engine._make_player(LEVELS, False, 0.70002, 1, False, False)
        player.start()
        player.start(123.456789, offset=0.0025)
        player.stop(123.456789)
        player.cancel()
        player.pause()
        player.resume(123.456789)
        player.seek(1)
        player.send_parameters([HapticDynamicParameter("HapticIntensityControl", 0.25, 0.001),
                                HapticDynamicParameter("HapticDecayTimeControl", -0.5)], 5e-6)
        player.schedule_parameter_curve(HapticParameterCurve("HapticIntensityControl", [(0, 0), (0.001, 1)]), 5e-6)
        player.playback_rate = 0.5
        player._loop_end = 0
        player.loop_enabled = True
        player.is_muted = True
        del player, other
        engine._tick()
        engine.is_muted = False
        sent = engine.lines()
        expected = vectors("client")
        left_out = ["shut_down", "restart", "end", "frames", "alive", "clock", "output"]
        released = [line for line in sent if '"abandon"' in line]
        self.assertEqual(sorted(released), [f'{{"player":{number},"type":"abandon"}}' for number in (1, 2)])
        expected = [line for line in expected if json.loads(line)["type"] not in [*left_out, "abandon"]]
        self.assertEqual([line for line in sent if line not in released], expected)

    def test_the_output_is_queried_and_answered(self):
        session = Session(0)
        session.receive(STARTED, 0)
        session.outgoing.clear()
        answers = [session.ask_output(1, 123_456_789, 0), session.ask_output(None, None, 0)]
        queries = [line for line in vectors("client") if '"type":"output"' in line]
        self.assertEqual(bytes(session.outgoing), b"".join(framed(line) for line in queries))
        silence, playing = reversed([line for line in vectors("server") if '"type":"output"' in line])
        session.receive(framed(silence), 0)
        self.assertEqual([answer.is_given for answer in answers], [True, False])
        session.receive(framed(playing), 0)
        self.assertEqual([answer.output for answer in answers], [None, HapticOutput(0.5, 0.25)])
        session.receive(framed(playing), 0)  # An answer without a query is skipped.
        self.assertFalse(session.is_over)

    def test_the_connection_begins_and_ends_with_its_vectors(self):
        session = Session(0, locality="leftHandle", program="one tap")
        self.assertEqual(bytes(session.outgoing), framed(vectors("client")[0]))
        session.outgoing.clear()
        session.receive(STARTED + framed('{"type":"reset"}'), 0)
        session.restart(0)
        session.end(0)
        session.tick(0.06)
        self.assertEqual(bytes(session.outgoing),
                         framed('{"type":"restart"}') + framed('{"type":"end"}') + framed('{"type":"alive"}'))

    def test_messages_of_the_server_become_events(self):
        lines = {}
        for line in vectors("server"):
            lines.setdefault(json.loads(line)["type"], []).append(line)
        def events(kind, index=0):
            session = Session(0)
            session.receive(STARTED, 0)
            return session.receive(framed(lines[kind][index]), 0)
        self.assertEqual(events("connected")[0].port, "/dev/ttyACM0")
        self.assertEqual(events("connected")[0].identity, "usb:1")
        self.assertEqual(events("started"), [Started()])
        self.assertEqual(events("finished"), [Finished((1, 2))])
        self.assertEqual(events("measured")[0].statistics["round_trip"], 1500)
        self.assertEqual(events("faults")[0].names, ("tap skipped",))
        self.assertIn("`bridge info` shows more", events("faults")[0].advice[0])
        self.assertEqual(events("reset"), [Reset()])
        self.assertEqual(events("stopped"), [Stopped()])
        self.assertIsInstance(events("measured")[0], Measured)
        self.assertIsInstance(events("faults")[0], Faults)
        for kind in ("unknown", "alive", "clock", "output", "idle", "surveyed", "frames"):
            self.assertEqual(events(kind), [])
        unplugged = events("lost")[0].error
        self.assertEqual((unplugged.code, unplugged.port), (-4811, "/dev/ttyACM0"))
        self.assertEqual(str(unplugged), "/dev/ttyACM0: unplugged\nplug the board in again")
        shorted = events("lost", 1)[0].error
        self.assertEqual(shorted.fault_names, ("over-current",))
        self.assertEqual(len(shorted.advice), 2)
        self.assertTrue(events("suspended")[0].is_suspended)
        refused = events("refused")[0].error
        self.assertEqual(refused.reason, "this board is served already")
        starting = Session(0)
        failed = starting.receive(framed(lines["failed"][0]), 0)[0].error
        self.assertIsInstance(failed, EngineStartError)
        self.assertEqual(failed.code, HapticErrorCode.NOT_SUPPORTED)


class HostileServerTests(unittest.TestCase):
    def session(self):
        session = Session(0)
        session.receive(STARTED, 0)
        return session

    def reason(self, events):
        self.assertEqual(len(events), 1)
        self.assertIsInstance(events[0], Stopped)
        return events[0].error.reason

    def test_bytes_may_arrive_one_at_a_time(self):
        session, events = Session(0), []
        for byte in STARTED + framed('{"players":[7],"type":"finished"}'):
            events += session.receive(bytes([byte]), 0)
        self.assertEqual(events, [Started(), Finished((7,))])

    def test_truncated_message_waits_and_then_ends(self):
        session = self.session()
        self.assertEqual(session.receive(b"\x00\x00\x00\x10{\"type\"", 0), [])
        self.assertIn("has ended", self.reason(session.received_end()))
        self.assertTrue(session.is_over)

    def test_oversized_message_ends_the_connection_before_it_arrives(self):
        self.assertIn("65537 bytes", self.reason(self.session().receive(b"\x00\x01\x00\x01", 0)))
        largest = '{"type":"alive","pad":"' + "x" * (65_536 - 25) + '"}'
        self.assertEqual(self.session().receive(framed(largest), 0), [])

    def test_unknown_types_and_members_are_skipped(self):
        session = self.session()
        self.assertEqual(session.receive(framed('{"type":"applause","volume":3}'), 0), [])
        self.assertEqual(session.receive(framed('{"colour":{"red":[1]},"players":[1],"type":"finished"}'), 0),
                         [Finished((1,))])
        unknown = session.receive(framed('{"code":-1,"reason":"why","type":"lost"}'), 0)[0].error
        self.assertEqual((unknown.code, unknown.reason), (HapticErrorCode.UNKNOWN_ERROR, "why"))

    def test_invalid_messages_end_the_connection(self):
        for text in ("{", "[]", "3", "{}", '{"type":3}', "\xff", '{"type":"finished"}',
                     '{"players":3,"type":"finished"}', '{"code":"x","reason":"","type":"lost"}',
                     '{"faults":[],"type":"faults"}', "[" * 60_000):
            self.assertIn("invalid message", self.reason(self.session().receive(framed(text), 0)), text)

    def test_server_of_another_version_is_refused_with_its_reason(self):
        reason = "the program that serves this board uses version 4 of the server protocol"
        session = Session(0)
        stopped = session.receive(framed(f'{{"reason":"{reason}","type":"refused"}}'), 0)[0]
        self.assertIsInstance(stopped.error, EngineStartError)
        self.assertEqual(stopped.error.reason, reason)

    def test_server_that_ends_while_the_engine_runs(self):
        engine = Engine()
        engine.receive(STARTED)
        player = engine._make_player(TAPS, False, 0, 1, False, False)
        player.start()
        events = engine.session.received_end()
        engine._note(events)
        self.assertIsInstance(events[0].error, EngineInterruptedError)
        self.assertFalse(player.is_playing)
        with self.assertRaises(EngineNotRunningError):
            player.start()

    def test_silent_server_is_given_up_after_two_seconds(self):
        session = self.session()
        for now in (0.9, 1.8, 2.0):
            self.assertEqual(session.tick(now), [])
        self.assertIn("does not answer", self.reason(session.tick(2.01)))

    def test_server_that_never_proves_that_it_has_the_key_is_given_up(self):
        session = Session(0, key=bytes(32), number=bytes(32))
        self.assertEqual(session.tick(2.0), [])
        self.assertIn("does not answer", self.reason(session.tick(2.01)))

    def test_program_that_did_not_run_reads_before_it_gives_up(self):
        session = self.session()
        self.assertEqual(session.tick(2.5), [])
        session.receive(framed('{"type":"alive"}'), 2.5)
        self.assertEqual(session.tick(3.4), [])

    def test_values_that_no_player_supports_are_clamped_or_rejected_at_the_call(self):
        engine = Engine()
        engine.receive(STARTED)
        self.assertEqual(engine._make_player(TAPS, False, 0, 1000, False, False).playback_rate, 64)
        player = engine._make_player(TAPS, False, 0, 0, False, False)
        self.assertEqual(player.playback_rate, 1 / 64)
        sent = len(engine.session.outgoing)
        with self.assertRaises(InvalidPatternError):
            engine._make_player(TAPS, False, 0, float("nan"), False, False)
        with self.assertRaises(InvalidPatternError):
            player.start(float("nan"))
        with self.assertRaises(InvalidPatternError):
            player.loop_end = float("nan")
        self.assertEqual((player.is_playing, player.loop_end), (False, 0))
        self.assertEqual(len(engine.session.outgoing), sent)

    def test_players_of_a_board_that_was_reset_are_invalid(self):
        engine = Engine()
        engine.receive(STARTED)
        player = engine._make_player(TAPS, False, 0, 1, False, False)
        engine.receive(framed('{"type":"reset"}'))
        with self.assertRaises(EngineNotRunningError) as raised:
            player.start()
        self.assertEqual(raised.exception.code, HapticErrorCode.INVALID_PATTERN_PLAYER)
        self.assertFalse(engine.is_running)


class RemoteTests(unittest.TestCase):
    KEY, SERVER, CLIENT = bytes(range(32)), bytes([1]) * 32, bytes([2]) * 32

    def code(self, purpose):
        return hmac.digest(self.KEY, purpose + self.SERVER + self.CLIENT, hashlib.sha256)

    def begun(self):
        session = Session(0, key=self.KEY, number=self.CLIENT)
        self.assertEqual(session.outgoing, b"")
        session.receive(b"haptic-bridge 1 " + self.SERVER.hex().encode() + b"\n", 0)
        self.assertEqual(session.outgoing.decode(), f"{'02' * 32} {self.code(b'client proves').hex()}\n")
        session.outgoing.clear()
        return session

    def sealed(self, text, count):
        data = framed(text)
        return data + hmac.digest(self.code(b"server speaks"), count.to_bytes(8, "big") + data, hashlib.sha256)

    def test_messages_follow_the_proofs_and_have_codes(self):
        session = self.begun()
        line = self.code(b"server proves").hex().encode() + b"\n"
        events = session.receive(line + self.sealed('{"type":"started"}', 0), 0)
        self.assertEqual(events, [Started()])
        sent = bytes(session.outgoing)
        length = int.from_bytes(sent[:4], "big")
        expected = hmac.digest(self.code(b"client speaks"), bytes(8) + sent[:4 + length], hashlib.sha256)
        self.assertEqual(sent[4 + length:], expected)
        self.assertFalse(session.is_ready)
        for answer in range(8):
            message = f'{{"sent":{answer * 1000},"time":{5_000_000 + answer * 1000},"type":"clock"}}'
            session.receive(self.sealed(message, answer + 1), answer * 0.001)
        self.assertTrue(session.is_ready)
        self.assertEqual(session.server_time(1, 0.01), 6_000_000)

    def test_wrong_key_and_forged_messages_end_the_connection(self):
        session = self.begun()
        self.assertIn("different key", session.receive(b"00" * 32 + b"\n", 0)[0].error.reason)
        session = self.begun()
        line = self.code(b"server proves").hex().encode() + b"\n"
        # If a message is repeated, its code does not match, because the code depends on the number of the message.
        again = self.sealed('{"type":"started"}', 0)
        events = session.receive(line + again + again, 0)
        self.assertIn("authentication code", events[1].error.reason)

    def test_other_servers_are_recognized(self):
        for text in (b"HTTP/1.1 200 OK\n", b"haptic-bridge 1 12\n", b"x" * 200):
            session = Session(0, key=self.KEY, number=self.CLIENT)
            self.assertIn("does not serve a board", session.receive(text, 0)[0].error.reason)


class FramingTests(unittest.TestCase):
    def test_message_that_is_too_long_is_not_sent(self):
        with self.assertRaises(ValueError):
            Framing().frame(encode({"type": "hello", "program": "x" * 70_000}))

    def test_messages_before_an_invalid_one_are_returned(self):
        received = []
        with self.assertRaises(ProtocolError):
            for message in Framing().receive(framed('{"type":"alive"}') + framed("x")):
                received.append(message)
        self.assertEqual(received, [{"type": "alive"}])
