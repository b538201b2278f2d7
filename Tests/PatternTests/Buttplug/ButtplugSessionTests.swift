// Tests of the sessions of Buttplug clients: each text from a client, and the server's answers.

import ProgramProtocols
import TestSupport
import Testing

@Suite struct ButtplugSessionTests {
    static let board = ButtplugBoard(
        name: "Board",
        vibrators: [.init("actuator 0, leftHandle", steps: 127), .init("actuator 1", steps: 255)])

    /// A session, and the current time of its client.
    struct Rig {
        var session = ButtplugSession(board, at: 0)
        var now: Int64 = 0

        /// - Parameter handshake: the first text of the client; nil to send none.
        init(_ handshake: String? = four) {
            if let handshake { _ = send(handshake) }
        }

        mutating func send(_ text: String) -> [String] { session.receive(text, at: now) }
    }

    static let four =
        #"[{"RequestServerInfo":{"Id":1,"ClientName":"Test","ProtocolVersionMajor":4,"ProtocolVersionMinor":0}}]"#
    static let three = #"[{"RequestServerInfo":{"Id":1,"ClientName":"Test","MessageVersion":3}}]"#

    private static func error(_ id: Int, _ code: Int, _ message: String) -> [String] {
        [#"[{"Error":{"Id":\#(id),"ErrorMessage":"\#(message)","ErrorCode":\#(code)}}]"#]
    }

    // MARK: The handshake

    @Test func theServerAnswersInTheVersionOfTheClient() {
        var rig = Rig(nil)
        #expect(
            rig.send(Self.four) == [
                #"[{"ServerInfo":{"Id":1,"ServerName":"Haptic Bridge","MaxPingTime":5000,"#
                    + #""ProtocolVersionMajor":4,"ProtocolVersionMinor":0}}]"#
            ])
        rig = Rig(nil)
        #expect(
            rig.send(Self.three) == [
                #"[{"ServerInfo":{"Id":1,"ServerName":"Haptic Bridge","MaxPingTime":5000,"#
                    + #""MessageVersion":3}}]"#
            ])
        #expect(
            rig.send(Self.three)
                == Self.error(1, 1, "RequestServerInfo: the connection is already open"))
        #expect(!rig.session.isOver)
    }

    @Test(arguments: [
        (#""MessageVersion":2"#, 2), (#""MessageVersion":4"#, 4),
        (#""ProtocolVersionMajor":5,"ProtocolVersionMinor":0"#, 5),
    ])
    func anotherVersionIsRefusedAndEndsTheSession(version: String, number: Int) {
        var rig = Rig(nil)
        #expect(
            rig.send(#"[{"RequestServerInfo":{"Id":7,"ClientName":"Test",\#(version)}}]"#)
                == Self.error(
                    7, 1,
                    "RequestServerInfo: this server does not support version \(number) of the messages; "
                        + "use a client of version 3 (MessageVersion) or 4 (ProtocolVersionMajor)"))
        #expect(rig.session.isOver)
        #expect(rig.send(Self.four).isEmpty)
    }

    @Test func aMessageBeforeTheHandshakeEndsTheSession() {
        var rig = Rig(nil)
        #expect(
            rig.send(#"[{"StartScanning":{"Id":1}}, {"Ping":{"Id":2}}]"#)
                == Self.error(1, 1, "StartScanning: the first message must be RequestServerInfo"))
        #expect(rig.session.isOver)
    }

    // MARK: The device

    private static let features =
        #""DeviceName":"Board","DeviceIndex":0,"DeviceMessageTimingGap":2,"DeviceFeatures":{"#
        + #""0":{"FeatureIndex":0,"FeatureDescription":"actuator 0, leftHandle","#
        + #""Output":{"Vibrate":{"Value":[0,127]}}},"#
        + #""1":{"FeatureIndex":1,"FeatureDescription":"actuator 1","#
        + #""Output":{"Vibrate":{"Value":[0,255]}}}}"#

    @Test func aClientOfVersion4FindsABoardWithAVibratorForEachActuator() {
        var rig = Rig()
        #expect(
            rig.send(#"[{"StartScanning":{"Id":2}}]"#) == [
                #"[{"Ok":{"Id":2}}]"#,
                #"[{"DeviceList":{"Id":0,"Devices":{"0":{\#(Self.features)}}}}]"#,
                #"[{"ScanningFinished":{"Id":0}}]"#,
            ])
        #expect(rig.send(#"[{"StopScanning":{"Id":3}}]"#) == [#"[{"Ok":{"Id":3}}]"#])
        #expect(
            rig.send(#"[{"RequestDeviceList":{"Id":4}}]"#)
                == [#"[{"DeviceList":{"Id":4,"Devices":{"0":{\#(Self.features)}}}}]"#])
        // The client already knows the board, so another scan announces no device.
        #expect(
            rig.send(#"[{"StartScanning":{"Id":5}}]"#)
                == [#"[{"Ok":{"Id":5}}]"#, #"[{"ScanningFinished":{"Id":0}}]"#])
    }

    private static let messages =
        #""DeviceName":"Board","DeviceIndex":0,"DeviceMessageTimingGap":2,"DeviceMessages":{"#
        + #""ScalarCmd":[{"FeatureDescriptor":"actuator 0, leftHandle","StepCount":127,"#
        + #""ActuatorType":"Vibrate"},{"FeatureDescriptor":"actuator 1","StepCount":255,"#
        + #""ActuatorType":"Vibrate"}],"StopDeviceCmd":{}}"#

    @Test func aClientOfVersion3FindsTheSameBoard() {
        var rig = Rig(Self.three)
        #expect(
            rig.send(#"[{"StartScanning":{"Id":2}}]"#) == [
                #"[{"Ok":{"Id":2}}]"#, #"[{"DeviceAdded":{"Id":0,\#(Self.messages)}}]"#,
                #"[{"ScanningFinished":{"Id":0}}]"#,
            ])
        #expect(
            rig.send(#"[{"RequestDeviceList":{"Id":3}}]"#)
                == [#"[{"DeviceList":{"Id":3,"Devices":[{\#(Self.messages)}]}}]"#])
    }

    // MARK: Levels

    private func output(_ feature: Int, _ value: String, device: Int = 0) -> String {
        #"[{"OutputCmd":{"Id":2,"DeviceIndex":\#(device),"FeatureIndex":\#(feature),"#
            + #""Command":{"Vibrate":{"Value":\#(value)}}}}]"#
    }

    @Test func levelsOfVersion4AreSetAndStopped() {
        var rig = Rig()
        #expect(rig.session.levels == [0, 0])
        #expect(rig.send(output(1, "51")) == [#"[{"Ok":{"Id":2}}]"#])
        #expect(rig.session.levels == [0, 0.2])
        _ = rig.send(output(0, "127"))
        #expect(rig.session.levels == [1, 0.2])
        _ = rig.send(#"[{"StopCmd":{"Id":3,"DeviceIndex":0,"FeatureIndex":1}}]"#)
        #expect(rig.session.levels == [1, 0])
        _ = rig.send(#"[{"StopCmd":{"Id":3,"Inputs":true,"Outputs":false}}]"#)
        #expect(rig.session.levels == [1, 0])
        #expect(rig.send(#"[{"StopCmd":{"Id":3}}]"#) == [#"[{"Ok":{"Id":3}}]"#])
        #expect(rig.session.levels == [0, 0])
    }

    @Test func levelsOfVersion3AreSetAndStopped() {
        var rig = Rig(Self.three)
        func scalars(_ scalars: String) -> String {
            #"[{"ScalarCmd":{"Id":2,"DeviceIndex":0,"Scalars":[\#(scalars)]}}]"#
        }
        let left = #"{"Index":0,"Scalar":0.5,"ActuatorType":"Vibrate"}"#
        let right = #"{"Index":1,"Scalar":1,"ActuatorType":"Vibrate"}"#
        #expect(rig.send(scalars(left + "," + right)) == [#"[{"Ok":{"Id":2}}]"#])
        #expect(rig.session.levels == [0.5, 1])
        // If one of the levels is invalid, no level is set.
        let strong = #"{"Index":1,"Scalar":1.01,"ActuatorType":"Vibrate"}"#
        let rest = #"{"Index":0,"Scalar":0,"ActuatorType":"Vibrate"}"#
        #expect(
            rig.send(scalars(rest + "," + strong))
                == Self.error(2, 3, "ScalarCmd: Scalar must be 0 to 1"))
        #expect(rig.session.levels == [0.5, 1])
        #expect(
            rig.send(scalars(#"{"Index":0,"Scalar":0,"ActuatorType":"Oscillate"}"#))
                == Self.error(
                    2, 4, "ScalarCmd: ActuatorType must be Vibrate, the type of all actuators"))
        _ = rig.send(#"[{"StopDeviceCmd":{"Id":3,"DeviceIndex":0}}]"#)
        #expect(rig.session.levels == [0, 0])
        _ = rig.send(scalars(left))
        #expect(rig.send(#"[{"StopAllDevices":{"Id":4}}]"#) == [#"[{"Ok":{"Id":4}}]"#])
        #expect(rig.session.levels == [0, 0])
    }

    @Test(arguments: [
        (0, "128", 0, 4, "OutputCmd: Value must be 0 to 127"),
        (0, "-1", 0, 3, "OutputCmd: Value must be a whole number from 0 to 4294967295"),
        (0, "0.5", 0, 3, "OutputCmd: Value must be a whole number from 0 to 4294967295"),
        (0, "1e999", 0, 3, "OutputCmd: Value must be a whole number from 0 to 4294967295"),
        (2, "1", 0, 4, "OutputCmd: FeatureIndex must be 0 to 1"),
        (0, "1", 1, 4, "OutputCmd: there is no device 1; the only device is 0"),
    ])
    func aLevelThatIsWrongChangesNothing(
        feature: Int, value: String, device: Int, code: Int, message: String
    ) {
        var rig = Rig()
        _ = rig.send(output(0, "64"))
        #expect(rig.send(output(feature, value, device: device)) == Self.error(2, code, message))
        #expect(rig.session.levels == [64.0 / 127, 0])
        #expect(!rig.session.isOver)
    }

    @Test func otherCommandsAreRefused() {
        var rig = Rig()
        #expect(
            rig.send(
                #"[{"InputCmd":{"Id":2,"DeviceIndex":0,"FeatureIndex":0,"Type":"Battery","Command":"Read"}}]"#
            )
                == Self.error(
                    2, 4, "InputCmd: the device has no sensors; it has only vibrators"))
        #expect(
            rig.send(
                #"[{"OutputCmd":{"Id":2,"DeviceIndex":0,"FeatureIndex":0,"Command":{"Rotate":{"Value":1}}}}]"#
            )
                == Self.error(
                    2, 4,
                    "OutputCmd: the device has only vibrators; expected the command Vibrate"))
        #expect(
            rig.send(#"[{"StopAllDevices":{"Id":9}}]"#)
                == Self.error(
                    9, 3, "StopAllDevices: this server does not support this message in version 4"))
    }

    // MARK: Nonsense

    private static let example = #"expected a list such as [{\"Ping\": {\"Id\": 1}}]"#

    @Test(arguments: [
        ("{}", 0, "the text is not a list of messages; \(example)"),
        ("[]", 0, "the text is not a list of messages; \(example)"),
        ("[1]", 0, "an element of the list is not a message; \(example)"),
        (
            #"[{"Ping":{"Id":1},"Stop":{"Id":2}}]"#, 0,
            "an element of the list is not a message; \(example)"
        ),
        (#"[{"Ping":{}}]"#, 0, "Ping: Id must be a whole number from 0 to 4294967295"),
        (
            #"[{"Ping":{"Id":4294967296}}]"#, 0,
            "Ping: Id must be a whole number from 0 to 4294967295"
        ),
        (#"[{"Ping":{"Id":0}}]"#, 0, "Ping: the Id of a client's message must be at least 1"),
        (
            #"[{"Nonsense":{"Id":5}}]"#, 5,
            "Nonsense: this server does not support this message in version 4"
        ),
        (
            #"[{"OutputCmd":{"Id":5}}]"#, 5,
            "OutputCmd: DeviceIndex must be a whole number from 0 to 4294967295"
        ),
    ])
    func aTextThatIsNoMessageIsRefusedAndTheSessionContinues(
        text: String, id: Int, message: String
    ) {
        var rig = Rig()
        #expect(rig.send(text) == Self.error(id, 3, message))
        #expect(rig.send(#"[{"Ping":{"Id":6}}]"#) == [#"[{"Ok":{"Id":6}}]"#])
    }

    @Test func aTextThatIsNotJSONIsRefusedWithItsLocation() {
        var rig = Rig()
        let answer = rig.send("[{\"Ping\":{\"Id\":1}}\n")
        #expect(answer.count == 1 && answer[0].hasPrefix(#"[{"Error":{"Id":0,"#))
        #expect(answer[0].contains("the text is not JSON: 2:1: "), "\(answer)")
        #expect(!rig.session.isOver)
    }

    @Test func noTextStopsASessionOrSetsALevelAboveItsRange() {
        var generator = SeededGenerator(seed: 50)
        let samples = [output(0, "127"), output(1, "255"), Self.four, #"[{"StopCmd":{"Id":3}}]"#]
        for _ in 0..<5_000 {
            var rig = Rig()
            var bytes = Array(samples.randomElement(using: &generator)!.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator)!
                bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            #expect(rig.send(String(decoding: bytes, as: UTF8.self)).count == 1)
            #expect(rig.session.levels.allSatisfy { (0...1).contains($0) })
            #expect(rig.send(#"[{"Ping":{"Id":6}}]"#) == [#"[{"Ok":{"Id":6}}]"#])
        }
    }

    // MARK: The ping time

    @Test func aSilentClientIsDisconnectedAndItsLevelsEnd() {
        var rig = Rig()
        rig.now = 1_000_000
        _ = rig.send(output(0, "127"))
        #expect(rig.session.expire(at: 5_999_999).isEmpty)
        #expect(rig.session.levels == [1, 0])
        #expect(
            rig.session.expire(at: 6_000_000)
                == Self.error(0, 2, "no message was received for 5 s; send Ping more often"))
        #expect(rig.session.levels == [0, 0] && rig.session.isOver)
        #expect(rig.session.expire(at: 60_000_000).isEmpty)
    }

    @Test func aPingExtendsTheTime() {
        var rig = Rig()
        for _ in 0..<10 {
            rig.now += 4_000_000
            #expect(rig.session.expire(at: rig.now).isEmpty)
            #expect(rig.send(#"[{"Ping":{"Id":2}}]"#) == [#"[{"Ok":{"Id":2}}]"#])
        }
    }

    @Test func aClientThatSendsNothingIsDisconnected() {
        var rig = Rig(nil)
        #expect(rig.session.expire(at: 5_000_000).count == 1)
        #expect(rig.session.isOver)
    }

    @Test func theTextForALargeMessageIsAnError() {
        #expect(
            [ButtplugSession.tooLarge]
                == Self.error(
                    0, 3,
                    "the text is larger than 65536 bytes; the connection is closed, so send smaller "
                        + "texts"))
    }
}
