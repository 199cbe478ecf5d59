module icicle.example/go

go 1.24
