// Tests of the description of voice coils as text, and of the values that are rejected.

import HapticBridge
import Testing

@Suite struct VoiceCoilTextTests {
    @Test(arguments: [
        ("sound:hw:2:3,4", "hw:2", [3, 4]), ("sound:hw:2", "hw:2", [1, 2]),
        ("sound:hw:2,0", "hw:2,0", [1, 2]), ("sound:default", "default", [1, 2]),
        ("sound:default::3,4", "default", [3, 4]), ("sound:default::2", "default", [2]),
        ("sound:plughw:CARD=Controller,DEV=0:4,3", "plughw:CARD=Controller,DEV=0", [4, 3]),
        ("sound:file:'/a:b',raw:1", "file:'/a:b',raw", [1]),
    ])
    func channelsFollowTheLastColonOfSeveral(text: String, device: String, channels: [Int]) throws {
        let coils = try VoiceCoils(output: text)
        #expect(coils.device == device && coils.channels == channels)
        #expect(try VoiceCoils(output: coils.output) == coils)
    }

    @Test(arguments: [
        ("hw:2", 1, "sound:DEVICE"), ("sound:", 7, "no name"), ("sound::3", 7, "no name"),
        ("sound:hw:2:3,x", 14, "a channel from 1 to 64"),
        ("sound:hw:2:", 12, "a channel from 1 to 64"), ("sound:hw:2:0", 12, "a channel"),
        ("sound:hw:2:65", 12, "a channel from 1 to 64"), ("sound:hw:2:3,3", 12, "two different"),
        ("sound:hw:2:1,2,3", 12, "two different"),
    ])
    func aMistakeIsNamedWithItsCharacter(text: String, place: Int, message: String) {
        let refusal = #expect(throws: VoiceCoils.Refusal.self) { try VoiceCoils(output: text) }
        #expect(refusal?.description.contains("character \(place): ") == true, "\(refusal as Any)")
        #expect(refusal?.description.contains(message) == true, "\(refusal as Any)")
    }

    @Test func aBandIsALowerAndAHigherFrequency() throws {
        #expect(try VoiceCoils.band("50-300") == 50...300)
        for text in ["50", "300-50", "50-50", "5-300", "50-2000", "-50-300", "a-b", ""] {
            #expect(throws: VoiceCoils.Refusal.self, "\(text)") { try VoiceCoils.band(text) }
        }
    }

    @Test func aResponseIsPointsInAscendingOrder() throws {
        let points = try VoiceCoils.response("60:0.5,160:1,320:0.8")
        #expect(points.map(\.frequency) == [60, 160, 320] && points.map(\.gain) == [0.5, 1, 0.8])
        for text in ["", "60", "60:0", "60:1:2", "60:1,60:2", "60:1,50:2", "60:inf", "60:1,"] {
            #expect(throws: VoiceCoils.Refusal.self, "\(text)") { try VoiceCoils.response(text) }
        }
    }
}
