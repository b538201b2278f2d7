import Testing

@testable import BridgeLink

@Suite struct WireMessageTests {
    private func payload(_ name: String) throws -> [UInt8] {
        let line = try Vectors.lines("messages.txt").first { $0.split(separator: " ")[1] == name }
        return hex(line!.split(separator: ":", maxSplits: 1).dropFirst().joined())
    }

    @Test func everyTypeComesBackFromItsPayload() throws {
        let lines = try Vectors.lines("messages.txt")
        #expect(lines.count == MessageType.names.count)
        for line in lines {
            let words = line.split(separator: " ")
            let type = MessageType(rawValue: hex(words[0])[0])
            #expect("\(type)" == words[1] || words[1] == "CLOCK_REPLY", "\(line)")
            let payload = hex(line.split(separator: ":", maxSplits: 1).dropFirst().joined())
            let message = try Message(type: type, payload: payload)
            #expect(message.payload == payload, "\(line)")
            #expect(message.type == type, "\(line)")
        }
    }

    @Test func bytesBeyondThoseKnownAreSkipped() throws {
        for line in try Vectors.lines("messages.txt") {
            let type = MessageType(rawValue: hex(line.split(separator: " ")[0])[0])
            if [.events, .revise, .acknowledge, .firmware].contains(type) { continue }
            let payload = hex(line.split(separator: ":", maxSplits: 1).dropFirst().joined())
            let message = try Message(type: type, payload: payload + [0xAA, 0xBB])
            #expect(message.payload == payload, "\(line)")
        }
    }

    @Test func aShorterPayloadIsRefused() throws {
        for line in try Vectors.lines("messages.txt") {
            let type = MessageType(rawValue: hex(line.split(separator: " ")[0])[0])
            let payload = hex(line.split(separator: ":", maxSplits: 1).dropFirst().joined())
            if payload.isEmpty || [.events, .revise, .acknowledge, .firmware].contains(type) {
                continue
            }
            // Older versions send these messages without the last fields.
            let grown: [MessageType] = [
                .welcome, .status, .actuator, .configure, .configuration,
            ]
            if grown.contains(type) { continue }
            #expect(throws: MessageError.self) {
                try Message(type: type, payload: payload.dropLast())
            }
        }
    }

    @Test func unknownTypesSurvive() throws {
        let message = try Message(type: MessageType(rawValue: 0xAF), payload: [1, 2])
        #expect(message == .unknown(MessageType(rawValue: 0xAF), payload: [1, 2]))
        #expect("\(message.type)" == "0xaf")
        #expect("\(RejectCode(rawValue: 200))" == "0xc8")
    }

    @Test func hostMessagesAreSpelledAsTheVectors() throws {
        let scale = TickScale(microseconds: 252.5)
        let expected: [(String, Message)] = [
            (
                "HELLO",
                .hello(
                    Hello(
                        versions: 1...2, session: 0x1234_5678,
                        features: Features(rawValue: 0x8000_0001)))
            ),
            ("STOP", .stop(Stop(id: 2, nextSequence: 200, linkTotal: 0xBEEF))),
            (
                "MUTE",
                .mute(Mute(id: 3, actuators: [.init(index: 0), .init(index: 15)], isMuted: true))
            ),
            (
                "OPEN",
                .command(.open(Open(stream: 1, actuators: .init(rawValue: 0x0102), memory: 300)))
            ),
            ("CLOSE", .command(.close(stream: 1))),
            (
                "START",
                .command(.start(Start(stream: 1, generation: 2, isRelative: true, time: 20_000)))
            ),
            ("SCALE", .command(.scale(Scale(stream: 1, tick: 100_000, scale: scale)))),
            (
                "EVENTS",
                .command(
                    .events(
                        Events(
                            stream: 1, generation: 2,
                            bytes: [0x90, 0xFF, 0x80, 0xF1, 0x64, 0x00])))
            ),
            (
                "REVISE",
                .command(
                    .revise(
                        Revise(
                            stream: 1, generation: 3, time: 0xFFFF_FFF0, level: 200,
                            sharpness: 100, bytes: [0xF1, 0x64, 0x00])))
            ),
            ("GAIN", .command(.gain(Gain(actuators: .init(rawValue: 3), gain: 128)))),
            (
                "CLEAR_FAULTS",
                .command(
                    .clearFaults(
                        ClearFaults(
                            faults: [.underrun, .tapSkipped, .overCurrent], faultTotal: 6)))
            ),
            ("CALIBRATE", .command(.calibrate(actuator: 1))),
            ("DIAGNOSE", .command(.diagnose(actuator: 1))),
            ("SAVE", .command(.save(actuator: 1))),
            ("ENTER_BOOTLOADER", .command(.enterBootloader)),
            ("LOCK", .command(.lock(actuator: 1))),
            ("RECORD", .command(.record(Record(waitsForStream: true, pairs: 772)))),
            ("CLOCK", .query(.clock)), ("GET_STATUS", .query(.status)),
            ("GET_STREAM", .query(.stream(1))), ("GET_ACTUATOR", .query(.actuator(2))),
            ("GET_CONFIGURATION", .query(.configuration(actuator: 2))),
            ("GET_FIRMWARE", .query(.firmware(block: 515))),
            ("PROBE", .query(.probe(address: 0x5A))), ("GET_SENSOR", .query(.sensor)),
        ]
        for (name, message) in expected {
            #expect(try payload(name) == message.payload, "\(name)")
            #expect("\(message.type)" == name)
        }
    }

    @Test func deviceMessagesAreReadAsTheVectors() throws {
        let welcome = try Welcome(payload("WELCOME"))
        #expect(welcome.boardID == 0x0123_4567_89AB_CDEF && welcome.firmwareVersion == "1.2")
        #expect(welcome.features == [.revise, .storage] && welcome.resetCause == .power)
        #expect(welcome.eventMemory == 512 && welcome.linkWindow == 192 && welcome.bodyMax == 64)
        #expect(welcome.bootCount == 258 && welcome.clock == 0xFC6C_7900)
        #expect(welcome.kind == .xiaoRP2040)

        let block = try FirmwareBlock(payload("FIRMWARE"))
        #expect(block == FirmwareBlock(number: 515, bytes: [0x0C, 0x94, 0x34, 0x00, 0x0C]))
        #expect(
            try ProbeAnswer(payload("PROBED")) == ProbeAnswer(address: 0x5A, isAcknowledged: true))

        #expect(
            try SensorState(payload("SENSOR_STATE"))
                == SensorState(kind: .lsm6dso, recording: .running))
        let samples = try Samples(payload("SAMPLES"))
        #expect(samples.gaps == 1 && samples.number == 772 && samples.reached == 1_286)
        #expect(samples.time == 0xFC6C_7900 && samples.values.count == 12)
        #expect(samples.values.prefix(2) == [0x0201, 0x0403] && samples.values.last == 0x1817)

        let ack = try Acknowledge(payload("ACK"))
        #expect(
            ack
                == Acknowledge(
                    nextSequence: 9, asksToResend: true, linkLimit: 0x1234, rejects: 2,
                    credits: [
                        .init(stream: 0, generation: 7, eventLimit: 600),
                        .init(stream: 1, generation: 0, eventLimit: 65_535),
                    ]))
        let reject = try Reject(payload("REJECT"))
        #expect(reject == Reject(type: .start, code: .time, offset: 3, limit: 0x4000_0000))
        #expect(
            "\(reject)"
                == "START rejected: time too far from now (payload byte 3, nearest 1073741824)")

        let status = try Status(payload("STATUS"))
        #expect(status.state == [.awake, .driving] && status.faults == [.underrun, .late, .event])
        #expect(status.latest == 0x0303_0303 && status.chipResets == 0x0808)
        #expect(status.rejectSequence == 9 && status.rejectType == .start && status.rejects == 10)
        #expect(status.clock == 0xFC6C_7900 && status.lostBytes == 0x0A0B)
        let stream = try StreamStatus(payload("STREAM"))
        #expect(stream.state == .playing && stream.position == 100_000 && stream.events == 0x0504)
        let actuator = try ActuatorStatus(payload("ACTUATOR"))
        #expect(actuator.state == .atRest && actuator.kind == .lra && actuator.supply == 3_300)
        #expect(actuator.locality == .rightTrigger && actuator.tapSharp == 5_882)
        #expect(actuator.isLocked && actuator.lraPeriod == 60)
        #expect(actuator.measuredResonance.map { ($0 * 10).rounded() } == 1_693)
    }

    @Test func whatAnOlderDeviceDoesNotSendIsZero() throws {
        let welcome = try Welcome(payload("WELCOME").dropLast(1))
        #expect(welcome.clock == 0xFC6C_7900 && welcome.kind == .unknown)
        let status = try Status(payload("STATUS").dropLast(2))
        #expect(status.clock == 0xFC6C_7900 && status.lostBytes == 0)
        let actuator = try ActuatorStatus(payload("ACTUATOR").dropLast(2))
        #expect(actuator.supply == 3_300 && !actuator.isLocked)
        #expect(actuator.measuredResonance == nil)
        #expect(throws: MessageError.tooShort(count: 34, needed: 35)) {
            try Welcome(payload("WELCOME").dropLast(2))
        }
        #expect(throws: MessageError.tooShort(count: 30, needed: 31)) {
            try Status(payload("STATUS").dropLast(3))
        }
        #expect(throws: MessageError.tooShort(count: 30, needed: 31)) {
            try ActuatorStatus(payload("ACTUATOR").dropLast(3))
        }
    }

    @Test func codesAndFaultsHaveWords() {
        #expect(Faults(rawValue: 0x4000).description == "storage failed")
        #expect("\(RejectCode(rawValue: 16))" == "the actuator's energy budget is used up")
        #expect("\(RejectCode(rawValue: 17))" == "the actuator is muted")
        #expect("\(ResetCause(rawValue: 0))" == "reset pin or watchdog")
    }

    @Test func tickScaleIsFixedPoint() {
        #expect(TickScale.nominal.rawValue == 0xFA00_0000)
        #expect(TickScale(microseconds: 252.5).rawValue == 0xFC80_0000)
        #expect(TickScale(microseconds: 0).rawValue == 0x0010_0000)
        #expect(TickScale(microseconds: 1_000).rawValue == 0xFF00_0000)
    }
}
