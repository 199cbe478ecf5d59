package icicle

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"os"
	"slices"
	"testing"
)

// written is a file of bytes that another language wrote.
func written(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(repository("tests", "vectors", "fhe", "bytes", name))
	ok(t, err)
	return data
}

// back reads bytes into a new object, which gives them again; bytes that are cut off, go on or are nothing are refused.
func back[T encoding.BinaryUnmarshaler](t *testing.T, data []byte, made, spare T) T {
	t.Helper()
	fails(t, spare.UnmarshalBinary(data[:len(data)-1]), ErrInvalidArgument, "end too early")
	fails(t, spare.UnmarshalBinary(nil), ErrInvalidArgument, "end too early")
	fails(t, spare.UnmarshalBinary(append(slices.Clone(data), 0)), ErrInvalidArgument, "go on after their end")
	fails(t, spare.UnmarshalBinary(make([]byte, 99)), ErrInvalidArgument, "not of this library's format")
	ok(t, made.UnmarshalBinary(data))
	again := must(any(made).(encoding.BinaryMarshaler).MarshalBinary())
	if !bytes.Equal(again, data) {
		t.Error("other bytes than were read")
	}
	fails(t, made.UnmarshalBinary(data), ErrInvalidArgument, "the receiver holds something already")
	return made
}

// What tests/vectors/fhe/README.md says of the files.
func TestEncryptedFilesOfAnotherLanguage(t *testing.T) {
	secret := written(t, "client_key")
	client := must(FheClientKeyFromBytes(secret))
	if !bytes.Equal(must(client.Bytes()), secret) {
		t.Error("other bytes than were read")
	}
	_, err := FheClientKeyFromBytes(secret[:402])
	fails(t, err, ErrInvalidArgument, "end too early")
	_, err = FheClientKeyFromBytes(nil)
	fails(t, err, ErrInvalidArgument, "end too early")
	if got := must(FheDecrypt[uint8](client, back(t, written(t, "uint8"), new(FheArray), new(FheArray)))); !slices.Equal(got, []uint8{200}) {
		t.Errorf("got %v", got)
	}
	if got := must(FheDecrypt[bool](client, back(t, written(t, "bool"), new(FheArray), new(FheArray)))); !slices.Equal(got, []bool{true}) {
		t.Errorf("got %v", got)
	}
	wide := back(t, written(t, "compressed_uint16"), new(FheCompressedArray), new(FheCompressedArray))
	if kind, n, err := wide.Info(); kind != FheUint16 || n != 2 || err != nil {
		t.Errorf("%v %d %v", kind, n, err)
	}
	if got := must(FheDecrypt[uint16](client, must(wide.Decompress()))); !slices.Equal(got, []uint16{0xcafe, 7}) {
		t.Errorf("got %v", got)
	}
	flags := back(t, written(t, "compressed_bool"), new(FheCompressedArray), new(FheCompressedArray))
	if got := must(FheDecrypt[bool](client, must(flags.Decompress()))); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("got %v", got)
	}
}

func TestEncryptedIntegersAsBytes(t *testing.T) {
	client, server := fheKeys()
	compressed := must(client.CompressedServerKey())
	key := back(t, must(compressed.MarshalBinary()), new(FheCompressedServerKey), new(FheCompressedServerKey))
	other := must(key.Decompress())
	ready := back(t, must(other.MarshalBinary()), new(FheServerKey), new(FheServerKey))
	x := must(must(FheEncryptCompressed(client, []uint8{200, 7})).Decompress())
	for _, key := range []*FheServerKey{other, ready, server} {
		total := back(t, must(must(key.Add(x, FheClear[uint8](100))).MarshalBinary()), new(FheArray), new(FheArray))
		if got := must(FheDecrypt[uint8](client, total)); !slices.Equal(got, []uint8{44, 107}) {
			t.Errorf("got %v", got)
		}
	}
	// As a part of a value that is written.
	var file bytes.Buffer
	type message struct{ Numbers *FheArray }
	ok(t, gob.NewEncoder(&file).Encode(message{x}))
	var got message
	ok(t, gob.NewDecoder(&file).Decode(&got))
	if values := must(FheDecrypt[uint8](client, got.Numbers)); !slices.Equal(values, []uint8{200, 7}) {
		t.Errorf("got %v", values)
	}
	// The client key is not written with others.
	if err := gob.NewEncoder(&file).Encode(struct{ Key *FheClientKey }{client}); err == nil {
		t.Error("a client key was written")
	}
	fails(t, new(FheArray).UnmarshalBinary(must(compressed.MarshalBinary())), ErrInvalidArgument, "bytes are of kind 3")
	fails(t, new(FheServerKey).UnmarshalBinary(must(x.MarshalBinary())), ErrInvalidArgument, "bytes are of kind 5")
	fails(t, (*FheArray)(nil).UnmarshalBinary(nil), ErrInvalidPointer, "the receiver is nil")
	set := must(server.Over(must(NewGroup([]Device{CPU(0), CPU(1)}, nil))))
	_, err := set.MarshalBinary()
	fails(t, err, ErrInvalidArgument, "key is of a group")
	ok(t, x.Close())
	_, err = x.MarshalBinary()
	fails(t, err, ErrInvalidPointer, "array: closed already")
	ok(t, compressed.Close())
	_, err = compressed.Decompress()
	fails(t, err, ErrInvalidPointer, "compressed server key: closed already")
	small := must(FheEncryptCompressed(client, []bool{true}))
	ok(t, small.Close())
	_, err = small.Decompress()
	fails(t, err, ErrInvalidPointer, "compressed array: closed already")
	_, _, err = (*FheCompressedArray)(nil).Info()
	fails(t, err, ErrInvalidPointer, "compressed array is nil")
}
